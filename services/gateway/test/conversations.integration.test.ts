import { create } from '@bufbuild/protobuf';
import { notFound } from '@stopgo/core';
import { views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
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
  settled,
  storeOf,
  waiting,
  working,
} from './support/views.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

test('a conversation is shown whole: head, run, approvals and each kind of message', async () => {
  const usage = { inputTokens: 1_000, outputTokens: 20, costNanoUsd: 5_500_000_000n, unpricedAnswers: 1 };
  const run = create(views.RunSchema, { id: RUN, status: views.RunStatus.WAITING, usage });
  const view = waiting([approval({ argumentsJson: '' })], { messageCount: 5, title: 'add x', run });
  const messages = [
    message(1, 'system', 'You manage resources.'),
    message(2, 'user', 'add x'),
    {
      ...message(3, 'assistant', ''),
      toolCall: { name: 'resources_add', argumentsJson: '{"name":"x"}', autoApproved: true },
    },
    { ...message(4, 'tool', ''), toolCall: { name: 'resources_add', result: '', isError: false, hasResult: true } },
    { ...message(5, 'tool', ''), toolCall: { name: 'gone', result: 'no such tool', isError: true, hasResult: true } },
  ];
  const { send } = await gateway({ store: storeOf(view, messages, 2) });
  const { status, json } = await send('GET', `/conversations/${ID.toUpperCase()}`);
  expect(status).toBe(200);
  const time = '2026-01-15T10:30:00.000Z';
  const tool = (id: string, tool_call: object) => ({ id, role: 'tool', content: '', tool_call, created_at: time });
  const pending = {
    uuid: approval().id,
    conversation_id: ID,
    run_id: RUN,
    kind: 'tool',
    tool_name: 'resources_add',
    server: 'resources',
    tool_args: {},
    description: approval().description,
    choices: ['approve', 'reject'],
    status: 'pending',
    created_at: time,
  };
  expect(json).toEqual({
    conversation: {
      id: ID,
      session_id: 's-1',
      context_id: ID,
      status: 'waiting_approval',
      title: 'add x',
      run: {
        id: RUN,
        status: 'waiting',
        usage: { input_tokens: 1_000, output_tokens: 20, cost_nano_usd: 5_500_000_000, unpriced_answers: 1 },
      },
      messages: [
        { id: 'm1', role: 'system', content: 'You manage resources.', created_at: time },
        { id: 'm2', role: 'user', content: 'add x', created_at: time },
        {
          id: 'm3',
          role: 'assistant',
          content: '',
          tool_call: { name: 'resources_add', arguments: { name: 'x' }, auto_approved: true },
          created_at: time,
        },
        tool('m4', { name: 'resources_add', arguments: null, result: '', is_error: false }),
        tool('m5', { name: 'gone', arguments: null, result: 'no such tool', is_error: true }),
      ],
      message_count: 5,
      pending_approval: pending,
      pending_approvals: [pending],
      revision: 4,
      created_at: time,
      updated_at: time,
    },
  });
});

test('what a run waits for is told, each with a sentence, and nothing if it waits for nothing', async () => {
  const wait = (kind: views.WaitKind, name: string, more: object = {}) =>
    create(views.RunWaitSchema, { conversationId: ID, runId: RUN, kind, name, since: AT, ...more });
  const waits = [
    wait(views.WaitKind.MODEL, 'claude-x', { reason: 'Claude API error: busy\u200b', nextTry: AT }),
    wait(views.WaitKind.MODEL, 'claude-x', { reason: 'other requests hold all the room for images and documents' }),
    wait(views.WaitKind.MODEL, 'claude-x'),
    wait(views.WaitKind.AGENT, 'peer', { nextTry: AT }),
    wait(views.WaitKind.TOOL_SERVER, 'files'),
    wait(views.WaitKind.TOOL_BRIDGE, ''),
    wait(views.WaitKind.TOOL_TURN, 'files'),
  ];
  const at = '2026-01-15T10:30:00.000Z';
  const { send } = await gateway({ store: storeOf({ ...working(), waits }) });
  const { conversation } = (await send('GET', `/conversations/${ID}`)).json;
  expect(conversation.waiting_for).toEqual([
    {
      kind: 'model',
      name: 'claude-x',
      since: at,
      next_try_at: at,
      reason: 'Claude API error: busy\\u{200b}',
      text: `the model "claude-x" cannot be asked now (since ${at}, next try at ${at}): Claude API error: busy\\u{200b}`,
    },
    {
      kind: 'model',
      name: 'claude-x',
      since: at,
      reason: 'other requests hold all the room for images and documents',
      text: `the model "claude-x" cannot be asked now (since ${at}): other requests hold all the room for images and documents`,
    },
    { kind: 'model', name: 'claude-x', since: at, text: `the model "claude-x" cannot be asked now (since ${at})` },
    {
      kind: 'agent',
      name: 'peer',
      since: at,
      next_try_at: at,
      text: `the agent "peer" is out of reach since ${at}, next try at ${at}`,
    },
    { kind: 'tool_server', name: 'files', since: at, text: `the tool server "files" is down since ${at}` },
    { kind: 'tool_bridge', since: at, text: `no bridge to the tools is there since ${at}` },
    {
      kind: 'tool_turn',
      name: 'files',
      since: at,
      text: `other calls of the tool server "files" come first since ${at}`,
    },
  ]);
  const people = waiting([approval(), approval({ id: OTHER_APPROVAL })], {
    pendingApprovalIds: [APPROVAL, OTHER_APPROVAL],
    authPrompt: 'Log in.',
    pendingInputs: [create(views.PendingInputSchema, { id: 'i', requestedAt: AT })],
  });
  const asks = await gateway({ store: storeOf(people) });
  expect((await asks.send('GET', `/conversations/${ID}`)).json.conversation.waiting_for).toEqual([
    { kind: 'approval', since: at, text: `people are to decide on 2 calls since ${at}` },
    { kind: 'input', since: at, text: `people are to answer 1 question since ${at}` },
    { kind: 'auth', text: 'Log in.' },
  ]);
  const none = await gateway({ store: storeOf(settled('done')) });
  expect((await none.send('GET', `/conversations/${ID}`)).json.conversation).not.toHaveProperty('waiting_for');
});

test('a tree that waits shows each node that does, the oldest first, and says which node said what', async () => {
  const paused = (path: number[], node: string) => ({
    path,
    node,
    outputKey: `${node}_key`,
    stepId: 'root/1',
    approvalIds: [approval().id],
  });
  const pipeline = create(views.PipelineSchema, {
    paused: [paused([1], 'second'), paused([0, 2], 'other')],
    sessionState: [
      { key: '__proto__', text: 'odd' },
      { key: 'analysis', text: 'A.' },
    ],
    userMessage: 'go',
  });
  const said = { ...message(1, 'assistant', 'A.'), node: 'first' };
  const { send } = await gateway({
    store: storeOf(waiting([approval({ node: 'second' })], { messageCount: 1, pipeline }), [said]),
  });
  const { conversation } = (await send('GET', `/conversations/${ID}`)).json;
  const state = {
    paused_node_path: [1],
    paused_node_output_key: 'second_key',
    session_state: JSON.parse('{"__proto__":"odd","analysis":"A."}'),
    user_message: 'go',
  };
  expect(conversation.pipeline_state).toMatchObject(state);
  expect(conversation.pipeline_states).toMatchObject([state, { paused_node_path: [0, 2], node: 'other' }]);
  expect(conversation.messages).toMatchObject([{ content: '[first] A.', node: 'first' }]);
  const { endpoints } = (await send('GET', '/docs/json')).json;
  const documented = endpoints.find((one: { path: string }) => one.path === '/conversations/:id').responses[200]
    .example;
  expect(Object.keys(documented.conversation).sort()).toEqual(Object.keys(conversation).sort());
  expect(Object.keys(documented.conversation.pipeline_state)).toEqual(Object.keys(conversation.pipeline_state));
  expect(conversation.pending_approval).toMatchObject({ node: 'second' });
});

test('of very many approvals the total is told beside those that are shown', async () => {
  const pendingApprovalIds = [APPROVAL, OTHER_APPROVAL];
  const { send } = await gateway({ store: storeOf(waiting([approval()], { pendingApprovalIds })) });
  const { conversation } = (await send('GET', `/conversations/${ID}`)).json;
  expect([conversation.pending_approvals.length, conversation.pending_approvals_total]).toEqual([1, 2]);
});

test('return=minimal shows the head with one call', async () => {
  const { send, calls } = await gateway({ store: storeOf(settled('done', { messageCount: 900 })) });
  const { json, headers } = await send('GET', `/conversations/${ID}`, { headers: { Prefer: 'return=minimal' } });
  expect(json.conversation).not.toHaveProperty('messages');
  expect(json.conversation).not.toHaveProperty('pending_approval');
  expect(headers['preference-applied']).toBe('return=minimal');
  expect(calls.map(({ request }) => request)).toMatchObject([{ messageLimit: 0 }]);
});

describe('ids', () => {
  const routes = ['GET /conversations/:', 'GET /conversations/:/events', 'POST /conversations/:/messages'];
  test.each([...routes, 'POST /conversations/:/cancel'])(
    '%s answers 404 for what is no UUID, without a call',
    async (route) => {
      const { send, calls } = await gateway({});
      const [method = '', path = ''] = route.split(' ');
      for (const id of ['nope', '%00', '%2e%2e%2f%2e%2e%2fetc', '%252e%252e', `${UNKNOWN}0`, 'é'.repeat(50)]) {
        const reply = await send(method, encodeURI(path.replace(':', id)).replaceAll('%25', '%'), {
          body: path.endsWith('messages') ? { message: 'x' } : '',
        });
        expect(reply.status, id).toBe(404);
        expect(reply.json.error, id).toMatch(/^conversation not found: /);
      }
      expect(calls).toEqual([]);
    },
  );

  test('a UUID that the store does not know gives the same text', async () => {
    const { send } = await gateway({
      store: {
        getConversation: async () => {
          throw notFound('no such stream');
        },
      },
    });
    for (const path of [`/conversations/${UNKNOWN}`, `/conversations/${UNKNOWN}/events`]) {
      const { status, json } = await send('GET', path);
      expect({ status, json }).toEqual({ status: 404, json: { error: `conversation not found: ${UNKNOWN}` } });
    }
  });
});

describe('lists', () => {
  const page = {
    conversations: [settled('a', { messageCount: 1 }), fresh({ id: UNKNOWN })],
    summary: { total: 7, active: 4, waitingApproval: 2, completed: 1 },
    nextCursor: 'next',
    position: 99n,
  };

  test('parameters go to the store; items come without messages, the summary counts all', async () => {
    const { send, calls } = await gateway({ store: { listConversations: async () => page } });
    const reply = await send('GET', '/conversations?status=waiting_approval&q=%C3%A4+b&limit=5&cursor=abc');
    expect(reply.status).toBe(200);
    expect(calls[0]?.request).toMatchObject({
      status: views.ConversationStatus.WAITING_APPROVAL,
      query: 'ä b',
      limit: 5,
      cursor: 'abc',
    });
    expect(reply.json.summary).toEqual({ total: 7, active: 4, waiting_approval: 2, completed: 1 });
    expect(reply.json.next_cursor).toBe('next');
    expect(reply.json.conversations.map((one: { id: string }) => one.id)).toEqual([ID, UNKNOWN]);
    expect(reply.json.conversations[0]).not.toHaveProperty('messages');
  });

  test('nothing at all is an empty list without a cursor, 100 at a time', async () => {
    const { send, calls } = await gateway({ store: { listConversations: async () => ({}) } });
    expect((await send('GET', '/conversations')).json).toEqual({
      conversations: [],
      summary: { total: 0, active: 0, waiting_approval: 0, completed: 0 },
      position: 0,
    });
    expect(calls[0]?.request).toMatchObject({ limit: 100, cursor: '', query: '', status: 0 });
  });

  test.each([
    ['/conversations?limit=0', 'limit'],
    ['/conversations?limit=1001', 'limit'],
    ['/conversations?limit=1e2', 'limit'],
    ['/conversations?limit=-1', 'limit'],
    ['/conversations?limit=5&limit=6', 'limit'],
    ['/conversations?status=done', 'status'],
    ['/conversations?status=toString', 'status'],
    ['/conversations?include=everything', 'include'],
    [`/conversations?q=${'x'.repeat(201)}`, 'q'],
    ['/conversations?q=%00', 'q'],
    [`/conversations?cursor=${'x'.repeat(513)}`, 'cursor'],
    ['/approvals?limit=x', 'limit'],
    ['/approvals?status=active', 'status'],
    ['/approvals?conversation=abc', 'conversation'],
    [`/conversations/${ID}/events?from=0`, 'from'],
    [`/conversations/${ID}/events?from=4294967296`, 'from'],
  ])('%s is 400 and names the parameter', async (path, name) => {
    const { send, calls } = await gateway({});
    const { status, json } = await send('GET', path);
    expect(status).toBe(400);
    expect(json.error).toContain(`"${name}"`);
    expect(calls).toEqual([]);
  });
});
