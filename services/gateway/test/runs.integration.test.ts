import { isUuid, notFound } from '@stopgo/core';
import { create, envelope, type orchestrator, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { deferred } from './support/deferred.ts';
import { gateway } from './support/gateway.ts';
import {
  APPROVAL,
  AT,
  approval,
  fresh,
  ID,
  message,
  OTHER_APPROVAL,
  RUN,
  run,
  settled,
  storeOf,
  TurnOutcome,
  waiting,
  working,
} from './support/views.ts';

type Turn = { readonly outcome: orchestrator.TurnOutcome; readonly view: views.ConversationView };

const answering = (turn: Turn) => ({
  orchestrator: {
    createConversation: async () => ({ turn }),
    sendMessage: async () => ({ turn }),
    cancelRun: async () => ({ turn }),
    cancelStep: async () => ({ turn }),
    pauseRun: async () => ({ turn }),
    unpauseRun: async () => ({ turn }),
  },
  store: storeOf(turn.view),
});
const say = { body: { message: 'hello' } };
const MESSAGES = `/conversations/${ID}/messages`;

describe('creating', () => {
  test.each([
    ['no body', {}],
    ['an empty object', { body: {} }],
    ['an empty message', { body: { message: '' } }],
    ['blanks only as a body', { body: ' \n' }],
  ])('%s makes a plain conversation', async (_name, sent) => {
    const { send, calls } = await gateway(answering({ outcome: TurnOutcome.SETTLED, view: fresh() }));
    const reply = await send('POST', '/conversations', sent);
    expect(reply.status).toBe(201);
    expect(Object.keys(reply.json)).toEqual(['conversation']);
    expect(reply.headers.location).toBe(`/conversations/${ID}`);
    const asked = calls[0]?.request as orchestrator.CreateConversationRequest;
    expect(asked.message).toBe('');
    expect(isUuid(asked.conversationId)).toBe(true);
  });

  test('a message is processed at once, and the caller, session and wait go along', async () => {
    const { send, calls } = await gateway(answering({ outcome: TurnOutcome.SETTLED, view: settled('done') }));
    const reply = await send('POST', '/conversations', { ...say, headers: { 'X-Session-ID': 'mine:1' } });
    expect(reply.status).toBe(201);
    expect(reply.json.result).toEqual({
      response: 'done',
      waiting_approval: false,
      approvals: [],
      auth_required: false,
    });
    expect(reply.json.conversation.run).toEqual({ id: RUN, status: 'completed' });
    const { request, context } = calls[0]!;
    expect(request).toMatchObject({
      message: 'hello',
      caller: { actor: { kind: envelope.ActorKind.USER, id: 'anonymous', surface: 'rest', address: '127.0.0.1' } },
      wait: { milliseconds: 5_000 },
    });
    expect(context.sessionId).toBe('mine:1');
  });
});

describe('how many agents may call one below another', () => {
  test.each([
    ['/conversations', { max_call_depth: 3 }, 3],
    [MESSAGES, { max_call_depth: 1 }, 1],
    [MESSAGES, { max_call_depth: null }, 0],
    [MESSAGES, {}, 0],
  ])('%s %j goes along', async (path, more, callDepthMax) => {
    const { send, calls } = await gateway(answering({ outcome: TurnOutcome.SETTLED, view: settled('done') }));
    expect((await send('POST', path, { body: { message: 'hello', ...more } })).status).toBeLessThan(300);
    expect(calls[0]?.request).toMatchObject({ callDepthMax });
  });

  const range = 'invalid request body: "max_call_depth" must be a whole number from 1 to 32';
  test.each<[object, string]>([
    [{ message: 'hello', max_call_depth: 0 }, range],
    [{ message: 'hello', max_call_depth: 33 }, range],
    [{ message: 'hello', max_call_depth: 1.5 }, range],
    [{ message: 'hello', max_call_depth: '2' }, range],
    [{ max_call_depth: 2 }, '"max_call_depth" is of the run of a message: send it with one'],
    [{ git_commit: 'main' }, '"git_commit" is of the run of a message: send it with one'],
  ])('%j is refused, and reaches no service', async (body, error) => {
    const { send, calls } = await gateway({});
    const { status, json } = await send('POST', '/conversations', { body });
    expect([status, json.error, calls]).toEqual([400, error, []]);
  });
});

describe('a message', () => {
  test('for an agent that is not there at a commit says so, and not that the conversation is gone', async () => {
    const sendMessage = async () => {
      throw notFound('there is no agent support at nope', { reason: 'no_agent' });
    };
    const { send } = await gateway({ orchestrator: { sendMessage } });
    const { status, json } = await send('POST', MESSAGES, { body: { message: 'hello', git_commit: 'nope' } });
    expect(status).toBe(404);
    expect(json).toEqual({ error: 'there is no agent support at nope', reason: 'no_agent' });
  });

  test('that leads to approvals answers with all of them, oldest first, each with its text', async () => {
    const view = waiting([approval(), approval({ id: OTHER_APPROVAL, description: '**REMOVE Resource**' })]);
    const { send } = await gateway(answering({ outcome: TurnOutcome.WAITING, view }));
    const { status, json } = await send('POST', MESSAGES, say);
    expect(status).toBe(200);
    expect(json.result.waiting_approval).toBe(true);
    expect(json.result.approval.uuid).toBe(APPROVAL);
    expect(json.result.approvals.map((one: { uuid: string }) => one.uuid)).toEqual([APPROVAL, OTHER_APPROVAL]);
    expect(json.result.response).toBe(
      `This action requires approval:\n\n**ADD Resource**\n\nName: x\nValue: 42\n\nPlease approve or reject using the approval UUID: ${APPROVAL}\n\n` +
        `This action requires approval:\n\n**REMOVE Resource**\n\nPlease approve or reject using the approval UUID: ${OTHER_APPROVAL}`,
    );
    expect(json.result).not.toHaveProperty('error');
    expect(json).not.toHaveProperty('error');
    expect(json.conversation.status).toBe('waiting_approval');
    expect(json.conversation.pending_approval.uuid).toBe(APPROVAL);
    expect(json.conversation.pending_approvals).toHaveLength(2);
  });

  test('while approvals are pending is refused with them, as 200 with an error', async () => {
    const { send } = await gateway(answering({ outcome: TurnOutcome.REFUSED_WAITING, view: waiting() }));
    const { status, json } = await send('POST', MESSAGES, say);
    expect(status).toBe(200);
    expect(json.error).toBe('conversation is waiting for approval');
    expect(json.result).toMatchObject({
      response: 'Conversation is waiting for approval. Please respond to the pending approval first.',
      waiting_approval: true,
      error: 'conversation is waiting for approval',
      approval: { uuid: APPROVAL },
    });
  });

  test.each<[string, views.ConversationView, string]>([
    ['one approval', waiting(), `people decide on approval ${APPROVAL} (POST /approvals/${APPROVAL})`],
    [
      'two',
      waiting([approval(), approval({ id: OTHER_APPROVAL })]),
      `people decide on approval ${APPROVAL} and 1 more (POST /approvals/${APPROVAL})`,
    ],
    [
      'a question',
      fresh({
        run: run(views.RunStatus.WAITING),
        pendingInputs: [create(views.PendingInputSchema, { id: 'i', requestedAt: AT })],
      }),
      `somebody answers question i (POST /conversations/${ID}/inputs/i)`,
    ],
    ['a token', fresh({ run: run(views.RunStatus.WAITING), authPrompt: 'Log in.' }), 'a request brings a token'],
  ])('that is not taken since the run waits for %s says so, and for what', async (_, view, until) => {
    const { send } = await gateway(answering({ outcome: TurnOutcome.REFUSED_WAITING, view }));
    const { json } = await send('POST', MESSAGES, say);
    expect(json.result.notice).toBe(
      `The message was not stored: the run waits until ${until}. Send it again after that.`,
    );
  });

  test('whose run failed says why in "error", too, and one whose run did not fail has none', async () => {
    const failed = fresh({ run: run(views.RunStatus.FAILED, 'LLM error: no\u200b answer') });
    const { send } = await gateway(answering({ outcome: TurnOutcome.SETTLED, view: failed }));
    const { status, json } = await send('POST', MESSAGES, say);
    const error = 'LLM error: no\\u{200b} answer';
    expect([status, json]).toMatchObject([200, { error, result: { error } }]);
    const silent = fresh({ run: run(views.RunStatus.FAILED) });
    const other = await gateway(answering({ outcome: TurnOutcome.SETTLED, view: silent }));
    expect((await other.send('POST', MESSAGES, say)).json.error).toBe('the run failed');
    const done = await gateway(answering({ outcome: TurnOutcome.SETTLED, view: settled('done') }));
    expect((await done.send('POST', MESSAGES, say)).json).not.toHaveProperty('error');
  });

  test('while a run is working is 409', async () => {
    const { send, calls } = await gateway(answering({ outcome: TurnOutcome.REFUSED_BUSY, view: working() }));
    const { status, json } = await send('POST', MESSAGES, say);
    expect(status).toBe(409);
    expect(json).toMatchObject({ error: 'conversation is busy', run: { id: RUN, status: 'working' } });
    expect(calls.map((call) => call.method)).toEqual(['sendMessage']);
  });

  test('whose run waits for a token says so, and one whose token let it go on was not stored', async () => {
    const prompt = 'Authentication required to access the files server.';
    const view = fresh({ run: run(views.RunStatus.WAITING), authPrompt: prompt });
    const paused = await gateway(answering({ outcome: TurnOutcome.WAITING, view }));
    const first = await paused.send('POST', MESSAGES, say);
    expect(first.json.result).toMatchObject({ auth_required: true, waiting_approval: false, response: prompt });
    expect(first.json.conversation.status).toBe('active');
    const resumed = await gateway(answering({ outcome: TurnOutcome.RESUMED_WITH_TOKEN, view: settled('listed') }));
    const second = await resumed.send('POST', MESSAGES, say);
    expect(second.json.result).toMatchObject({ response: 'listed', auth_required: false });
    expect(second.json.result.notice).toContain('not stored');
  });

  test('answers with every message that the run left, page by page, and no later one', async () => {
    const view = settled('done', { messageCount: 5 });
    const messages = [1, 2, 3, 4, 5, 6].map((sequence) => message(sequence, 'user', `text ${sequence}`));
    const { send, calls } = await gateway({
      ...answering({ outcome: TurnOutcome.SETTLED, view }),
      store: storeOf(view, messages, 2),
    });
    const { json } = await send('POST', MESSAGES, say);
    expect(json.conversation.messages.map((one: { content: string }) => one.content)).toEqual(
      [1, 2, 3, 4, 5].map((sequence) => `text ${sequence}`),
    );
    expect(calls.filter((call) => call.method === 'getConversation')).toHaveLength(3);
    expect(calls[1]?.request).toMatchObject({ minRevision: 5 });
  });
});

describe('preferences', () => {
  test('a run that goes on is 202 with its place, whatever the request was', async () => {
    const { send } = await gateway(answering({ outcome: TurnOutcome.WORKING, view: working() }));
    for (const path of ['/conversations', MESSAGES]) {
      const { status, json, headers } = await send('POST', path, say);
      expect(status).toBe(202);
      expect(json.run).toEqual({ id: RUN, status: 'working' });
      expect(json.conversation.id).toBe(ID);
      expect(json).not.toHaveProperty('result');
      expect(headers.location).toBe(`/conversations/${ID}`);
    }
  });

  test.each([
    ['respond-async', 0, 'respond-async'],
    ['wait=2', 2_000, 'wait=2'],
    ['wait=9999', 5_000, 'wait=5'],
    ['wait=-1, wait=x', 5_000, undefined],
    ['respond-async, return=minimal', 0, 'respond-async, return=minimal'],
  ])('%s waits %i ms', async (prefer, milliseconds, applied) => {
    const { send, calls } = await gateway(answering({ outcome: TurnOutcome.WORKING, view: working() }));
    const { headers } = await send('POST', MESSAGES, { ...say, headers: { Prefer: prefer } });
    expect(calls[0]?.request).toMatchObject({ wait: { milliseconds } });
    expect(headers['preference-applied']).toBe(applied);
  });

  test('return=minimal leaves the messages out and asks the store for nothing', async () => {
    const view = settled('done', { messageCount: 3 });
    const { send, calls } = await gateway(answering({ outcome: TurnOutcome.SETTLED, view }));
    const { json, headers } = await send('POST', MESSAGES, { ...say, headers: { Prefer: 'return=minimal' } });
    expect(json.conversation).not.toHaveProperty('messages');
    expect(json.result.response).toBe('done');
    expect(headers['preference-applied']).toBe('return=minimal');
    expect(calls.map((call) => call.method)).toEqual(['sendMessage']);
  });
});

test('a client that leaves does not cancel the call that its request made', async () => {
  let aborted = false;
  const [arrived, answer, done] = [deferred(), deferred(), deferred()];
  const { url, lines } = await gateway({
    orchestrator: {
      sendMessage: async (_request, context) => {
        context.signal.addEventListener('abort', () => {
          aborted = true;
        });
        arrived.resolve();
        await answer.promise;
        done.resolve();
        return { turn: { outcome: TurnOutcome.SETTLED, view: settled('done') } };
      },
    },
  });
  const leaving = new AbortController();
  const request = fetch(`${url}${MESSAGES}`, { method: 'POST', body: '{"message":"x"}', signal: leaving.signal });
  await arrived.promise;
  leaving.abort();
  await expect(request).rejects.toThrow();
  await expect.poll(() => lines.join('')).toContain('| 499 |');
  answer.resolve();
  await done.promise;
  expect(aborted).toBe(false);
});

test('a step is named by its id as events show it, and canceled by whom it says', async () => {
  const { send, calls } = await gateway(answering({ outcome: TurnOutcome.SETTLED, view: settled('Done.') }));
  const step = encodeURIComponent('root#1.0/root');
  const options = { body: { reason: 'slow' }, headers: { 'x-approver': 'ada' } };
  const { status, json } = await send('POST', `/runs/${ID}/steps/${step}/cancel`, options);
  expect([status, json.result.response]).toEqual([200, 'Done.']);
  expect(calls[0]).toMatchObject({
    method: 'cancelStep',
    request: { conversationId: ID, stepId: 'root#1.0/root', reason: 'slow', caller: { actor: { id: 'ada' } } },
  });
  for (const bad of ['root%00', 'x y', 'root%2F'.repeat(2_000)])
    expect((await send('POST', `/runs/${ID}/steps/${bad.replace(' ', '%20')}/cancel`)).status).toBe(404);
  expect((await send('POST', `/runs/nobody/steps/${step}/cancel`)).status).toBe(404);
});

test('a run is paused and resumed by the id of its conversation, which shows that', async () => {
  const paused = { by: 'ada', reason: 'I look first' };
  const run = create(views.RunSchema, { id: 'r', status: views.RunStatus.WAITING, paused });
  const view = settled('', { run });
  const { send, calls } = await gateway(answering({ outcome: TurnOutcome.WAITING, view }));
  const headers = { 'x-approver': 'ada' };
  const { status, json } = await send('POST', `/runs/${ID}/pause`, { body: { reason: 'I look first' }, headers });
  expect([status, json.result.response]).toEqual([
    200,
    'The run is paused by ada until somebody resumes it: I look first',
  ]);
  expect(json.conversation.run.paused).toMatchObject({ by: 'ada', reason: 'I look first' });
  expect(json.conversation.waiting_for).toMatchObject([{ kind: 'pause' }]);
  expect((await send('POST', `/runs/${ID}/resume`, { headers })).status).toBe(200);
  expect(calls.map(({ method, request }) => [method, request])).toMatchObject([
    ['pauseRun', { conversationId: ID, reason: 'I look first', caller: { actor: { id: 'ada' } } }],
    ['unpauseRun', { conversationId: ID, caller: { actor: { id: 'ada' } } }],
  ]);
  const refused = await gateway(answering({ outcome: TurnOutcome.REFUSED_WAITING, view }));
  const kept = (await refused.send('POST', MESSAGES, say)).json;
  expect([kept.error, kept.result.notice]).toEqual([
    'conversation is paused',
    expect.stringContaining(`until somebody resumes it (POST /runs/${ID}/resume)`),
  ]);
});

test('cancel passes the reason on and answers like a message', async () => {
  const view = settled('Run canceled: enough');
  const { send, calls } = await gateway(answering({ outcome: TurnOutcome.SETTLED, view }));
  const { status, json } = await send('POST', `/conversations/${ID}/cancel`, { body: { reason: 'enough' } });
  expect(status).toBe(200);
  expect(json.result.response).toBe('Run canceled: enough');
  expect(calls[0]).toMatchObject({ method: 'cancelRun', request: { conversationId: ID, reason: 'enough' } });
  const waiting = { headers: { Prefer: 'wait=9, return=minimal' } };
  const plain = await send('POST', `/conversations/${ID}/cancel`, waiting);
  expect(plain.status).toBe(200);
  // A cancel does not wait for anything.
  expect(plain.headers['preference-applied']).toBe('return=minimal');
  expect((await send('POST', `/conversations/${ID}/cancel`, { body: { reason: 'x'.repeat(1_025) } })).status).toBe(400);
});

test('arguments are shown digit by digit as they will be sent', async () => {
  const exact = '{"value":12345678901234567890,"ratio":1.10}';
  const view = waiting([approval({ argumentsJson: exact })]);
  const { send } = await gateway(answering({ outcome: TurnOutcome.WAITING, view }));
  const { text } = await send('POST', MESSAGES, say);
  expect(text).toContain(`"tool_args":${exact}`);
});
