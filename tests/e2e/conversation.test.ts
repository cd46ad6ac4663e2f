import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, client } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/**
 * The main stories of one conversation, against the real process, the real MCP server and the real
 * Gemini SDK talking to the offline model.
 */
let model: ScriptedModel;
let place: Workplace;
let platform: Platform;
let http: Client;

beforeAll(async () => {
  model = await scriptedModel();
  place = workplace();
  // What waits survives a kill below.
  platform = await start(place, resourcesConfig(place), { asProcess: true, env: model.env });
  http = client(platform.url);
});

afterAll(async () => {
  await platform.end('SIGTERM');
  await model.stop();
  place.remove();
});

/** How many model calls were made so far. */
async function modelCalls(): Promise<number> {
  return (await model.requests()).length;
}

function resources(): Promise<string> {
  return http.post('/conversations', { message: 'list all resources' }).then((answer) => answer.body.result.response);
}

async function waiting(message: string): Promise<Answer> {
  const answer = await http.post('/conversations', { message });
  expect(answer.status).toBe(201);
  expect(answer.body.result.waiting_approval).toBe(true);
  return answer;
}

test('it says what it starts', () => {
  expect(platform.output()).toContain('MCP Server [resources]: node');
});

test('it is healthy, and shows its tools', async () => {
  expect((await http.get('/health')).body).toEqual({ status: 'ok' });
  // The composition has one more server.
  const tools = (await http.get('/tools')).body.tools.filter(({ server }) => server !== 'journaled');
  expect(tools.map((tool) => [tool.name, tool.destructiveHint === true, tool.server]).sort()).toEqual([
    ['resources_add', true, 'resources'],
    ['resources_list', false, 'resources'],
    ['resources_remove', true, 'resources'],
  ]);
  for (const tool of tools) expect(tool.inputSchema.type).toBe('object');
});

test('a conversation is created without a body, with an empty object, and with a message', async () => {
  for (const body of [undefined, {}]) {
    const created = await http.post('/conversations', body);
    expect(created.status).toBe(201);
    expect(created.body.conversation.id).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(created.body.conversation.status).toBe('active');
    expect(created.body.conversation.session_id).toMatch(/^[0-9a-f]{8}$/);
    expect(created.body.conversation.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'You look after resources.'],
    ]);
    expect(created.body.result).toBeUndefined();
  }
});

test('a tool that only reads runs at once, and its call and result are in the conversation', async () => {
  const answer = await http.post('/conversations', { message: 'list all resources' });
  const { conversation, result } = answer.body;
  expect(answer.status).toBe(201);
  expect(result.waiting_approval).toBe(false);
  expect(conversation.status).toBe('active');
  expect(conversation.messages.map((message) => message.role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
  expect(conversation.messages[2]?.tool_call).toMatchObject({ name: 'resources_list', arguments: {} });
  expect(JSON.parse(conversation.messages[3]?.tool_call?.result ?? '')).toMatchObject({ count: expect.any(Number) });
  expect(conversation.messages[4]?.content).toBe(result.response);
});

test('a destructive tool waits, and runs with the recorded arguments once it is approved', async () => {
  const first = await waiting('create a server my-test with value 42');
  const { conversation, result } = first.body;
  expect(conversation.status).toBe('waiting_approval');
  expect(conversation.pending_approval?.uuid).toBe(result.approval?.uuid);
  expect(result.approval).toMatchObject({
    tool_name: 'resources_add',
    tool_args: { name: 'my-test', value: 42 },
    description: '**ADD Resource**\n\nName: my-test\nValue: 42',
  });
  expect(result.response).toBe(
    `This action requires approval:\n\n**ADD Resource**\n\nName: my-test\nValue: 42\n\nPlease approve or reject using the approval UUID: ${result.approval?.uuid}`,
  );
  expect(await resources()).not.toContain('my-test');

  const calls = await modelCalls();
  const refused = await http.post(`/conversations/${conversation.id}/messages`, { message: 'and another' });
  expect(refused.status).toBe(200);
  expect(refused.body.result).toMatchObject({
    waiting_approval: true,
    error: 'conversation is waiting for approval',
    response: 'Conversation is waiting for approval. Please respond to the pending approval first.',
    approval: { uuid: result.approval?.uuid },
  });
  expect(await modelCalls()).toBe(calls);

  const done = await http.post(`/approvals/${result.approval?.uuid}`, { answer: 'yes' });
  expect(done.status).toBe(200);
  expect(done.body.conversation.status).toBe('active');
  expect(done.body.result.waiting_approval).toBe(false);
  const trace = done.body.conversation.messages.slice(-3);
  expect(trace.map(({ role, content }) => [role, content])).toEqual([
    ['user', '[APPROVAL]: Approved'],
    ['tool', ''],
    ['assistant', done.body.result.response],
  ]);
  expect(JSON.parse(trace[1]?.tool_call?.result ?? '')).toMatchObject({ name: 'my-test', value: 42 });
  // One model call after the tool had run, none before.
  expect(await modelCalls()).toBe(calls + 1);
  expect(await resources()).toContain('my-test');
});

test('what waits survives a kill and a restart with its arguments', async () => {
  const { body } = await waiting('create a server survivor with value 7');
  await platform.end('SIGKILL');
  platform = await start(place, resourcesConfig(place), { env: model.env });
  http = client(platform.url);
  const again = await http.get(`/conversations/${body.conversation.id}`);
  expect(again.body.conversation).toEqual(body.conversation);
  const done = await http.post(`/approvals/${body.result.approval?.uuid}`, { approved: true });
  expect(done.status).toBe(200);
  expect(await resources()).toContain('survivor');
});

describe('plain phrases', () => {
  const phrases: readonly (readonly [string, string, Readonly<Record<string, unknown>>, boolean])[] = [
    ['list', 'resources_list', {}, false],
    ['show me all resources', 'resources_list', {}, false],
    ['create a server test-1 with value 10', 'resources_add', { name: 'test-1', value: 10 }, true],
    ['add resource test-2 value 20', 'resources_add', { name: 'test-2', value: 20 }, true],
    ['remove test-1', 'resources_remove', { pattern: '^test-1$' }, true],
    ['delete resource test-2', 'resources_remove', { pattern: '^test-2$' }, true],
  ];
  test.each(phrases)('"%s" calls %s', async (phrase, tool, args, isGated) => {
    const { body } = await http.post('/conversations', { message: phrase });
    expect(body.result.waiting_approval).toBe(isGated);
    const call = body.conversation.messages.find((message) => message.tool_call !== undefined)?.tool_call;
    expect(call).toMatchObject({ name: tool, arguments: args });
  });
});

test('a rejected call is never run', async () => {
  const { body } = await waiting('create a server unwanted with value 1');
  const rejected = await http.post(`/approvals/${body.result.approval?.uuid}`, { answer: 'no' });
  expect(rejected.body.result).toMatchObject({ response: 'Operation cancelled by user.', waiting_approval: false });
  expect(rejected.body.conversation.status).toBe('active');
  expect(rejected.body.conversation.messages.at(-2)?.content).toBe('[APPROVAL]: Rejected');
  expect(await resources()).not.toContain('unwanted');
  const next = await http.post(`/conversations/${body.conversation.id}/messages`, { message: 'list' });
  expect(next.body.result.waiting_approval).toBe(false);
});

test.each([{ approved: true }, { action: 'approve' }, { answer: 'yes' }])('%j approves', async (decision) => {
  const { body } = await waiting(`create a server format-${Object.keys(decision)[0]} with value 3`);
  const done = await http.post(`/approvals/${body.result.approval?.uuid}`, decision);
  expect(done.status).toBe(200);
  expect(await resources()).toContain(`format-${Object.keys(decision)[0]}`);
});

test('a decision on a settled approval is refused with who decided what and when', async () => {
  const { body } = await waiting('create a server once with value 1');
  const path = `/approvals/${body.result.approval?.uuid}`;
  expect((await http.post(path, { answer: 'yes' }, { 'x-approver': 'alice' })).status).toBe(200);
  const second = await http.post(path, { answer: 'no' }, { 'x-approver': 'bob' });
  expect(second.status).toBe(409);
  expect(second.body).toMatchObject({
    decision: 'approved',
    decided_by: 'alice',
    decided_at: expect.stringMatching(/^\d{4}-/),
  });
  const unknown = await http.post('/approvals/00000000-0000-4000-8000-000000000000', { answer: 'yes' });
  expect(unknown.status).toBe(404);
  expect(unknown.body.error).toBe('no conversation found with approval UUID: 00000000-0000-4000-8000-000000000000');
});

test('what is no decision changes nothing', async () => {
  const { body } = await waiting('create a server undecided with value 1');
  const path = `/approvals/${body.result.approval?.uuid}`;
  for (const no of [
    '',
    '{}',
    '{"answer":"perhaps"}',
    '{"approved":"yes"}',
    '{"approved":true,"answer":"no"}',
    '[]',
    '{',
  ])
    expect((await http.post(path, no)).status, no).toBe(400);
  const still = await http.get(`/conversations/${body.conversation.id}`);
  expect(still.body.conversation).toEqual(body.conversation);
});

test('two gated calls of one answer wait together and are answered in any order, each once', async () => {
  const { body } = await waiting('create pair-a with value 1 and pair-b with value 2');
  const [a, b] = body.result.approvals;
  expect(body.conversation.pending_approvals).toHaveLength(2);
  const first = await http.post(`/approvals/${b?.uuid}`, { answer: 'yes' });
  expect(first.body.result).toMatchObject({ waiting_approval: true, approval: { uuid: a?.uuid } });
  expect(first.body.result.approvals.map((approval) => approval.uuid)).toEqual([a?.uuid]);
  const listed = await resources();
  expect(listed).toContain('pair-b');
  expect(listed).not.toContain('pair-a');
  const second = await http.post(`/approvals/${a?.uuid}`, { answer: 'yes' });
  expect(second.body.result.waiting_approval).toBe(false);
  const names = second.body.conversation.messages.flatMap((message) =>
    message.tool_call?.result === undefined ? [] : [(JSON.parse(message.tool_call.result) as { name: string }).name],
  );
  expect(names).toEqual(['pair-b', 'pair-a']);
});

test('the list counts every conversation by status', async () => {
  const { body } = await http.get('/conversations?limit=1');
  expect(body.conversations).toHaveLength(1);
  const { total = 0, active = 0, waiting_approval = 0, completed = 0 } = body.summary;
  expect(total).toBe(active + waiting_approval + completed);
  expect(waiting_approval).toBeGreaterThan(0);
  const waitingOnly = await http.get('/conversations?status=waiting_approval&limit=1000');
  expect(waitingOnly.body.conversations).toHaveLength(waiting_approval);
});
