import { fact, failedPrecondition, unavailable } from '@stopgo/core';
import { approvals, facts, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { feed, follow, recorded } from './support/events.ts';
import { gateway } from './support/gateway.ts';
import {
  APPROVAL,
  approval,
  fresh,
  ID,
  OTHER_APPROVAL,
  RUN,
  run,
  settled,
  storeOf,
  TurnOutcome,
  waiting,
} from './support/views.ts';

const { DecisionKind } = approvals;

const STREAM = `conversation-${ID}`;

const said = (text: string, version: '1.0' | 'legacy') => ({
  jsonrpc: '2.0',
  id: 1,
  ...(version === 'legacy'
    ? { method: 'message/send', params: { taskId: ID, message: { role: 'user', parts: [{ type: 'text', text }] } } }
    : {
        method: 'SendMessage',
        params: { message: { messageId: 'm-1', taskId: ID, role: 'ROLE_USER', parts: [{ text }] } },
      }),
});

/** A task that waits for an approval, and what was asked in its conversation before. */
function parked(before: readonly views.Approval[] = []) {
  const view = waiting([approval()], { pendingApprovalIds: [APPROVAL] });
  const asked = [...before, approval()].filter(({ byPolicy }) => !byPolicy);
  return {
    store: {
      ...storeOf(view),
      listApprovals: async ({ askedInRun = '', limit = 0 }) => ({
        approvals: asked.filter(({ runId }) => runId === askedInRun).slice(0, limit),
        nextCursor: 'there is more',
      }),
    },
    approvals: { resolve: async () => ({ turn: { outcome: TurnOutcome.SETTLED, view: settled('done') } }) },
  };
}

describe('a plain word', () => {
  const earlier = approval({ id: OTHER_APPROVAL, status: views.ApprovalStatus.APPROVED });

  test.each([
    ['the first of its run', '1.0', [], true],
    ['not the first of its run', '1.0', [earlier], false],
    ['the first of its run, after those of another run', '1.0', [approval({ ...earlier, runId: APPROVAL })], true],
    ['the first that a person is asked', '1.0', [approval({ ...earlier, byPolicy: true })], true],
    ['not the first of its run, in the legacy dialect', 'legacy', [earlier], true],
  ] as const)('on an approval that is %s', async (_which, version, before, decides) => {
    const { send, calls } = await gateway(parked(before));
    const { status, json } = await send('POST', '/a2a', { body: said('yes', version) });
    expect(status).toBe(200);
    const resolved = calls.filter(({ method }) => method === 'resolve').map(({ request }) => request);
    expect(resolved).toMatchObject(decides ? [{ approvalId: APPROVAL }] : []);
    expect(calls.filter(({ method }) => method === 'listApprovals').length).toBe(version === 'legacy' ? 0 : 1);
    if (!decides) expect(JSON.stringify(json.result.task.status.message)).toContain(`yes ${APPROVAL}`);
  });
});

describe('a call in doubt', () => {
  const choices = ['run_again', 'happened', 'give_up'];
  const inDoubt = approval({ kind: facts.ApprovalKind.IN_DOUBT, choices });
  const view = waiting([inDoubt], { pendingApprovalIds: [APPROVAL] });
  const lines = choices.map((choice) => `${choice} ${APPROVAL}`);
  const script = {
    store: {
      ...storeOf(view),
      listApprovals: async () => ({ approvals: [inDoubt], nextCursor: '' }),
      readStream: async () => ({ events: [] }),
    },
    approvals: { resolve: async () => ({ turn: { outcome: TurnOutcome.SETTLED, view: settled('done') } }) },
  };
  const textOf = (json: { result: unknown }): string => JSON.stringify(json.result);

  test.each(['1.0', 'legacy'] as const)('is shown and asked again with its own choices (%s)', async (version) => {
    const { send, calls } = await gateway({
      ...script,
      approvals: {
        resolve: async () => {
          throw failedPrecondition('other choices', { reason: 'choice', choices: choices.join(', ') });
        },
      },
    });
    const get = { jsonrpc: '2.0', id: 1, method: version === '1.0' ? 'GetTask' : 'tasks/get', params: { id: ID } };
    const headers = { 'A2A-Version': version === '1.0' ? '1.0' : '' };
    const answers = [await send('POST', '/a2a', { body: get, headers })];
    for (const word of ['yes', 'hmm']) answers.push(await send('POST', '/a2a', { body: said(word, version) }));
    for (const { json } of answers) {
      for (const line of lines) expect(textOf(json)).toContain(line);
      expect(textOf(json)).not.toMatch(new RegExp(`(?:yes|no) ${APPROVAL}`));
    }
    // A word that is none of its choices gives nothing up.
    expect(calls.filter(({ method }) => method === 'resolve')).toHaveLength(1);
  });

  test.each([
    [`run_again ${APPROVAL}`, { kind: DecisionKind.RUN_AGAIN }],
    [`happened ${APPROVAL}`, { kind: DecisionKind.HAPPENED, result: '' }],
    [`happened ${APPROVAL}: it was paid`, { kind: DecisionKind.HAPPENED, result: 'it was paid' }],
    ['happened', { kind: DecisionKind.HAPPENED, result: '' }],
    ['no', { kind: DecisionKind.REJECT }],
  ])('is decided by %j in every dialect', async (text, decided) => {
    const { send, calls } = await gateway(script);
    for (const version of ['1.0', 'legacy'] as const) await send('POST', '/a2a', { body: said(text, version) });
    const resolved = calls.filter(({ method }) => method === 'resolve').map(({ request }) => request);
    expect(resolved).toMatchObject([decided, decided]);
  });
});

describe('states', () => {
  test.each([
    ['submitted', fresh()],
    ['working', fresh({ run: run(views.RunStatus.WORKING) })],
    ['input-required', waiting()],
    ['auth-required', fresh({ run: run(views.RunStatus.WAITING), authPrompt: 'Bring a token.' })],
    ['completed', settled('done')],
    ['failed', fresh({ run: run(views.RunStatus.FAILED, 'it broke') })],
    ['canceled', fresh({ run: run(views.RunStatus.CANCELED) })],
  ])('%s', async (state, view) => {
    const { send } = await gateway({ store: storeOf(view) });
    const { json } = await send('GET', `/tasks/${ID}?historyLength=0`);
    expect(json.status.state).toBe(`TASK_STATE_${state.toUpperCase().replace('-', '_')}`);
    const text = { 'auth-required': 'Bring a token.', failed: 'it broke' }[state];
    if (text !== undefined) expect(json.status.message.parts[0].text).toBe(text);
  });
});

describe('a stream', () => {
  function live() {
    const events = feed<ReturnType<typeof recorded>>();
    const script = {
      store: {
        getConversation: async () => ({ view: waiting() }),
        follow: ({ fromRevision }: { fromRevision: number }, { signal }: { signal: AbortSignal }) =>
          events.read(signal, fromRevision - 5),
      },
    };
    return { events, script };
  }

  test('shows that it is alive while nothing happens, and lets go of the log when its client leaves', async () => {
    const { events, script } = live();
    const { url } = await gateway(script, { times: { heartbeatMs: 5 } });
    const client = await follow(url, `/tasks/${ID}:subscribe`);
    await expect.poll(() => client.text()).toContain(': heartbeat');
    expect(client.events.map(({ id }) => id)).toEqual(['4']);
    expect(events.readers()).toBe(1);
    client.leave();
    await expect.poll(() => events.readers()).toBe(0);
  });

  test('says that the task waits still, where one of several things was answered and nothing can go on', async () => {
    const { events, script } = live();
    const { url } = await gateway(script);
    const client = await follow(url, `/tasks/${ID}:subscribe`);
    await expect.poll(() => client.events.length).toBe(1);
    const action = facts.InputAction.ACCEPT;
    events.push(recorded(STREAM, 5, fact('inputProvided', { runId: RUN, inputId: 'i', action })));
    await expect.poll(() => client.events.length).toBe(2);
    const { statusUpdate } = JSON.parse(client.events[1]!.data);
    expect(statusUpdate.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(JSON.stringify(statusUpdate.status.message)).toContain(APPROVAL);
    client.leave();
  });

  test('ends when the gateway stops, and can be gone on with elsewhere', async () => {
    const { events, script } = live();
    const first = await gateway(script);
    const client = await follow(first.url, `/tasks/${ID}:subscribe`);
    await expect.poll(() => client.events.length).toBe(1);
    await first.stop();
    await client.ended;
    events.push(recorded(STREAM, 5, fact('runCanceled', { runId: RUN, reason: 'enough' })));
    const second = await gateway(script);
    const again = await follow(second.url, `/tasks/${ID}:subscribe`, { 'Last-Event-ID': '4' });
    await again.ended;
    expect(again.events.map(({ id, data }) => [id, JSON.parse(data).statusUpdate.status.state])).toEqual([
      ['5', 'TASK_STATE_CANCELED'],
    ]);
  });
});

test('of a defect a peer is told an id only, and of a service that is away what to do', async () => {
  // The view is missing, against the contract of the store.
  const broken = await gateway({ store: { getConversation: async () => ({}) } });
  for (const { text } of [
    await broken.send('POST', '/a2a', { body: said('yes', '1.0') }),
    await broken.send('GET', `/tasks/${ID}`),
    await broken.send('GET', `/v1/tasks/${ID}`),
  ]) {
    expect(text).toContain('internal error');
    expect(text).not.toContain('head');
    expect(broken.lines.join('')).toContain('without the head');
  }
  const away = await gateway({
    store: {
      getConversation: async () => {
        throw unavailable('the log cannot be reached now');
      },
    },
  });
  const { json } = await away.send('POST', '/a2a', { body: said('yes', '1.0') });
  expect(json.error).toMatchObject({ code: -32603, message: 'the log cannot be reached now' });
  const { status } = await away.send('GET', `/tasks/${ID}`);
  expect(status).toBe(503);
});

describe('data', () => {
  const record = { id: OTHER_APPROVAL, name: 'web-1' };
  const decision = { approval_id: APPROVAL, decision: 'approve' };
  const text = { text: 'Delete this' };
  const sent = (data: object, taskId = '') => ({
    body: { message: { messageId: 'm-1', taskId, role: 'ROLE_USER', parts: [text, { data }] } },
  });
  const orchestrator = {
    createConversation: async () => ({ turn: { outcome: TurnOutcome.SETTLED, view: settled('done') } }),
    sendMessage: async () => ({ turn: { outcome: TurnOutcome.SETTLED, view: settled('done') } }),
  };

  test.each([
    ['with an id of its own', record],
    ['with actions', { id: OTHER_APPROVAL, action: 'approve' }],
    ['with decisions', { decisions: [{ title: 'use tabs' }, { approval_id: APPROVAL, decision: 'approve' }] }],
    ['with no decisions', { decisions: [] }],
    ['about an approval', { approval_id: APPROVAL, tool: 'resources_delete' }],
  ])('%s is told to the agent', async (_which, data) => {
    for (const taskId of ['', ID]) {
      const { send, calls } = await gateway({ store: storeOf(fresh()), orchestrator });
      const { status } = await send('POST', '/message:send', sent(data, taskId));
      expect(status).toBe(200);
      const told = calls.find(({ method }) => method === (taskId === '' ? 'createConversation' : 'sendMessage'));
      expect(told?.request).toMatchObject({ message: `Delete this\n${JSON.stringify(data)}` });
    }
  });

  test('that decides is told to nobody but whom it is for, where there is a task', async () => {
    const first = await gateway({ store: storeOf(fresh()), orchestrator });
    await first.send('POST', '/message:send', sent(decision));
    expect(first.calls.find(({ method }) => method === 'createConversation')?.request).toMatchObject({
      message: `Delete this\n${JSON.stringify(decision)}`,
    });
    const { send, calls } = await gateway({ ...parked(), orchestrator });
    expect((await send('POST', '/message:send', sent(decision, ID))).status).toBe(200);
    expect(calls.filter(({ method }) => method === 'resolve').map(({ request }) => request)).toMatchObject([
      { approvalId: APPROVAL },
    ]);
    expect(calls.some(({ method }) => method === 'sendMessage')).toBe(false);
  });
});

describe('where no more streams may be open', () => {
  const message = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const oldMessage = { kind: 'message', messageId: 'm-1', role: 'user', parts: [{ kind: 'text', text: 'hello' }] };
  const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });

  test.each([
    ['/message:stream', { message }],
    ['/a2a', rpc('SendStreamingMessage', { message })],
    ['/a2a/v1', rpc('message/stream', { message: oldMessage })],
  ])('a message to %s is refused before it has an effect, and taken when there is room', async (path, body) => {
    const { url, send, calls } = await gateway(
      {
        bridge: { listTools: async () => ({ tools: [] }) },
        store: {
          getConversation: async () => ({ view: waiting() }),
          follow: (_: object, { signal }: { signal: AbortSignal }) =>
            feed<ReturnType<typeof recorded>>().read(signal, 0),
        },
        orchestrator: {
          createConversation: async () => ({ turn: { outcome: TurnOutcome.SETTLED, view: settled('done') } }),
        },
      },
      { limits: { openStreams: 1, bodyBytes: 1024, messageBytes: 1024 } },
    );
    const created = () => calls.filter(({ method }) => method === 'createConversation').length;
    const other = await follow(url, `/tasks/${ID}:subscribe`);
    const isTaken = async () => !(await send('POST', path, { body })).text.includes('which is the limit');
    expect([await isTaken(), created()]).toEqual([false, 0]);
    other.leave();
    await expect.poll(isTaken).toBe(true);
    // What goes wrong at once gives its place back, too.
    for (let time = 0; time < 2; time += 1) {
      expect((await send('GET', '/tasks/nothing:subscribe')).status).toBe(404);
      const { json } = await send('POST', '/a2a', { body: rpc('SubscribeToTask', { id: 'nothing' }) });
      expect(json.error.code).toBe(-32001);
    }
    expect([await isTaken(), created()]).toEqual([true, 2]);
  });
});

describe('an address that comes with a message', () => {
  const ended = settled('done');
  const working = fresh({ run: run(views.RunStatus.WORKING) });
  const waits = waiting([approval()], { pendingApprovalIds: [APPROVAL] });
  const foreign = `yes ${OTHER_APPROVAL}`;

  test.each([
    ['to a task that has ended', ended, 'more', []],
    ['to one that is worked on', working, 'more', ['sendMessage']],
    ['that decides on what is none of the task', waits, foreign, []],
    ['that decides on what is settled', ended, `yes ${APPROVAL}`, ['resolve']],
    ['that says nothing', fresh(), '', []],
    ['that is taken', fresh(), 'more', ['setPush', 'sendMessage']],
    ['that decides', waits, `yes ${APPROVAL}`, ['setPush', 'resolve']],
  ] as const)('%s', async (_which, view, text, does) => {
    const turn = { outcome: TurnOutcome.SETTLED, view: settled('done') };
    const { send, calls } = await gateway({
      store: {
        ...storeOf(view),
        load: async () => ({ knownKeys: [] }),
        getApproval: async ({ approvalId }: { approvalId: string }) => ({
          approval: approval({ id: approvalId, conversationId: approvalId === APPROVAL ? ID : RUN }),
        }),
      },
      orchestrator: {
        setPush: async () => ({ config: { id: 'x', url: 'https://example.com/hook' } }),
        sendMessage: async () => ({ turn: view === working ? { ...turn, outcome: TurnOutcome.REFUSED_BUSY } : turn }),
      },
      approvals: {
        resolve: async () => {
          if (view === ended) throw unavailable('settled');
          return { turn };
        },
      },
    });
    const body = {
      message: { messageId: 'm-1', taskId: ID, role: 'ROLE_USER', parts: [{ text }] },
      configuration: { taskPushNotificationConfig: { url: 'https://example.com/hook' } },
    };
    const { status } = await send('POST', '/message:send', { body });
    expect(status === 200).toBe(does.some((one) => one === 'setPush'));
    const acts = ['setPush', 'sendMessage', 'resolve'];
    expect(calls.map(({ method }) => method).filter((one) => acts.includes(one))).toEqual(does);
  });
});
