import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsInGit, agentsInGit } from './git-agents.ts';
import { type Client, client, until } from './http.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/** Agents from git answer conversations, and call each other: all of it is one run, which stops where one of them would destroy something. */
const longMs = 120_000;

let place: Workplace;
let platform: Platform;
let http: Client;
let model: ScriptedModel;
let agents: AgentsInGit;
let first: string;

const tier1 = (more = '') => `---
name: Tier 1 support
description: Answers customers
allowedAgents: [support/billing, support/nobody]
---
You are {{agent_name}}${more}.

{{allowed_agents}}

Your task: {{prompt}}
`;
const billing = `---
name: Billing
description: Knows bills
mcpServers: [resources]
examples: [Refund an order]
---
You look after bills. Your task: {{prompt}}
`;

const sharing = (name: string, more: string) => `---
name: ${name}
description: Shares data
tools: [run_data_*]
${more}
---
You are ${name}. Your task: {{prompt}}
`;

const call = (name: string, args: Record<string, unknown>) => ({ name, args });
const completes = (result: string) => ({
  calls: [call('complete_agent_execution', { result, status: 'SUCCESS', confidence: 1 })],
});
const asksBilling = {
  prompt: 'Tier 1',
  calls: [call('call_agent', { agent_name: 'support/billing', input: 'Pay the bill b-1 back' })],
};

const config = () =>
  resourcesConfig(
    place,
    `
llm: { model: openai:m }
agent_folders: [${JSON.stringify(place.folder)}]
agent_repositories:
  - { name: main-agents, git_url: ${JSON.stringify(agents.folder)}, is_root: true, sync_interval: 1h }
approvals:
  rules:
    - name: for tier 1
      tool: resources_add
      when: call.agents == ["support/tier1", "support/billing"] && call.commit == "${first}"
      verdict: ask
      reason: Tier 1 asks for it.`,
  );

// The shapes of other routes do not fit here.
const post = async (path: string, body: object) => {
  const { status, text } = await http.post(path, body);
  return { status, body: JSON.parse(text) };
};

beforeAll(async () => {
  place = workplace();
  model = await scriptedModel();
  agents = agentsInGit(join(place.folder, 'agents'));
  agents.write('support/tier1/prompt.md', tier1());
  agents.write('support/billing/prompt.md', billing);
  agents.write('sharing/lead/prompt.md', sharing('Lead', 'allowedAgents: [sharing/helper]'));
  agents.write('sharing/helper/prompt.md', sharing('Helper', 'contextScope: SPECIFIC\ncontext: { state: [order] }'));
  first = agents.commit('First');
  platform = await start(place, config(), { env: model.env });
  http = client(platform.url);
  await until(
    'the repository is synced',
    async () => (await http.get('/agents/support/tier1')).status === 200 || undefined,
  );
}, longMs);

afterAll(async () => {
  await platform.discard();
  await model.stop();
  place.remove();
});

test('one calls another, what that would destroy waits for a person, and the first one ends with its result', {
  timeout: longMs,
}, async () => {
  await model.script(
    asksBilling,
    { prompt: 'look after bills', calls: [call('resources_add', { name: 'b-1', value: 299 })] },
    { prompt: 'look after bills', ...completes('Full refund processed. Refund ID: REF-456789') },
    { prompt: 'Tier 1', ...completes('Your refund has been processed.') },
  );
  const { status, body } = await post('/conversations', { agent: 'support/tier1', message: 'Cancel my order' });
  expect([status, body.conversation.status]).toEqual([201, 'waiting_approval']);
  const { id, pending_approval: approval } = body.conversation;
  expect(approval).toMatchObject({
    ...{ tool_name: 'resources_add', tool_args: { name: 'b-1' }, agent_path: ['support/tier1', 'support/billing'] },
    reason: expect.stringContaining('Tier 1 asks for it.'),
  });
  expect(body.conversation.run.agent_source).toEqual({
    ...{ repository: 'main-agents', git_commit: first, file_path: 'support/tier1/prompt.md' },
  });
  const waiting = JSON.parse((await http.get(`/runs/${id}/steps`)).text);
  expect(waiting.steps).toMatchObject([
    { state: 'BLOCKED_ON_INPUT', waits_for: [{ kind: 'agent', id: 'root#1.0/root' }] },
    { state: 'BLOCKED_ON_INPUT', waits_for: [{ kind: 'approval', id: approval.uuid }] },
  ]);
  const { body: decided } = await post(`/approvals/${approval.uuid}`, { approved: true });
  expect(decided.result).toMatchObject({ response: 'Your refund has been processed.' });

  const requests = await model.requests();
  const asked = requests.map(({ body }) => JSON.stringify(body));
  expect(asked[0]).toContain('You are Tier 1 support.');
  expect(asked[0]).toContain(
    '- **support/billing**: Knows bills\\\\n  Examples: Refund an order'.replaceAll('\\\\', '\\'),
  );
  expect(asked[1]).toContain('Pay the bill b-1 back');
  const steps = await http.get(`/runs/${id}/steps`);
  expect(JSON.parse(steps.text)).toMatchObject({
    run: { status: 'completed' },
    steps: [
      { ...{ id: 'root', agent: 'support/tier1', state: 'COMPLETED', input: 'Cancel my order' }, agent_calls: 1 },
      {
        agent: 'support/billing',
        parent: 'root',
        state: 'COMPLETED',
        tool_calls: 1,
        completion: { status: 'SUCCESS' },
      },
    ],
  });
  const { body: shown } = await http.get(`/conversations/${id}`);
  expect(shown.conversation.messages.at(-1)?.content).toBe('Your refund has been processed.');
});

test('a run may have fewer agents call one below another than the configuration, and no more', {
  timeout: longMs,
}, async () => {
  await model.script(asksBilling, { prompt: 'Tier 1', ...completes('I may not ask.') });
  const wanting = (max_call_depth: number, agent = 'support/tier1') =>
    post('/conversations', { agent, max_call_depth, message: 'Cancel my order' });
  expect((await wanting(1)).body.result).toMatchObject({ response: 'I may not ask.' });
  const told = JSON.stringify((await model.requests()).at(-1)?.body);
  expect(told).toContain('1 agents call one below another, which is the most');
  expect(await wanting(11)).toMatchObject({ status: 400, body: { error: expect.stringContaining('at most 10') } });
  const configured = await wanting(2, 'tested');
  expect(configured).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('leave max_call_depth out') },
  });
});

test('what an agent saves in one run it has in the next, the one that it calls has not, and a person may change it', {
  timeout: longMs,
}, async () => {
  const value = { name: 'Ada', tier: 'gold' };
  await model.script(
    { prompt: 'Tier 1', calls: [call('save_memory', { key: 'customer', value })] },
    { prompt: 'Tier 1', ...completes('noted') },
  );
  const talk = async (message: string) => {
    const { body } = await post('/conversations', { agent: 'support/tier1', message });
    return body.result.response;
  };
  expect(await talk('I am Ada')).toBe('noted');
  const { body: kept } = await http.get('/agents/support/tier1/memories/customer');
  const saved = { value, saved_by: { kind: 'agent', id: 'support/tier1' }, run_id: expect.any(String), revision: 1 };
  expect(kept).toMatchObject({ memory: saved });

  const results = async () => {
    const requests = await model.requests();
    return requests.map(({ body }) => JSON.stringify((body as { messages: unknown[] }).messages.at(-1)));
  };
  const before = (await results()).length;
  await model.script(
    { prompt: 'Tier 1', calls: [call('load_memory', { key: 'customer' })] },
    asksBilling,
    { prompt: 'look after bills', calls: [call('load_memory', { key: 'customer' })] },
    { prompt: 'look after bills', ...completes('unknown') },
    { prompt: 'Tier 1', ...completes('hello Ada') },
  );
  expect(await talk('Who am I?')).toBe('hello Ada');
  const [, loaded, , missed] = (await results()).slice(before);
  expect(loaded).toContain(JSON.stringify(JSON.stringify(value)).slice(1, -1));
  expect(missed).toContain('There is no memory customer; nothing is remembered.');

  const changed = await fetch(`${platform.url}/agents/support/tier1/memories/customer`, {
    ...{ method: 'PUT', headers: { 'content-type': 'application/json', 'if-match': '"1"' }, body: '{"value":"Bob"}' },
  });
  expect(changed.status).toBe(200);
  await model.script(
    { prompt: 'Tier 1', calls: [call('load_memory', { key: 'customer' })] },
    { prompt: 'Tier 1', ...completes('hello Bob') },
  );
  expect(await talk('And now?')).toBe('hello Bob');
  expect((await results()).at(-1)).toContain('Bob');
});

test('two agents share data in one run: what one writes the other is told, reads and changes; the next run has nothing of it', {
  timeout: longMs,
}, async () => {
  const before = (await model.requests()).length;
  const read = call('run_data_read', { key: 'order' });
  await model.script(
    { prompt: 'You are Lead', calls: [call('run_data_write', { key: 'order', value: { id: 4711 } })] },
    { prompt: 'You are Lead', calls: [call('call_agent', { agent_name: 'sharing/helper', input: 'Pay it back' })] },
    { prompt: 'You are Helper', calls: [read, call('run_data_write', { key: 'order', value: { paid: true } })] },
    { prompt: 'You are Helper', ...completes('paid') },
    { prompt: 'You are Lead', calls: [read, call('run_data_list', {})] },
    { prompt: 'You are Lead', calls: [call('request_user_input', { prompt: 'Anything else?' })] },
    { prompt: 'You are Lead', ...completes('done') },
  );
  const { body } = await post('/conversations', { agent: 'sharing/lead', message: 'Refund it' });
  const { id, pending_inputs: pending } = body.conversation;
  const { body: shown } = await http.get(`/runs/${id}/steps`);
  expect(shown).toMatchObject({
    steps: [{ agent: 'sharing/lead' }, { agent: 'sharing/helper', shared_keys: ['order'] }],
  });
  await post(`/conversations/${id}/inputs/${pending[0].id}`, { action: 'accept', content: { answer: 'no' } });
  const asked = (await model.requests()).slice(before).map(({ body }) => JSON.stringify(body));
  expect(asked).toHaveLength(7);
  expect(asked[2]).toContain('What is known in this run:\\n\\norder:\\n> {\\"id\\":4711}');
  expect(asked[3]).toContain('{\\"id\\":4711}');
  expect(asked[5]).toContain('{\\"paid\\":true}');
  expect(asked[5]).toContain('\\"key\\":\\"order\\"');

  await model.script({ prompt: 'You are Lead', calls: [read] }, { prompt: 'You are Lead', ...completes('nothing') });
  await post('/conversations', { agent: 'sharing/lead', message: 'And now?' });
  expect(JSON.stringify((await model.requests()).at(-1)?.body)).toContain('Nothing is shared under order');
});

test('an agent that is called asks people, and the answer is what it goes on with: two agents, one question, one run', {
  timeout: longMs,
}, async () => {
  const choices = ['Approve full refund', 'Offer store credit', 'Deny exception'];
  const prompt = 'Customer exceeds refund policy but is VIP. Approve exception?';
  const before = (await model.requests()).length;
  await model.script(
    asksBilling,
    { prompt: 'look after bills', calls: [call('request_user_input', { prompt, inputType: 'choice', choices })] },
    {
      prompt: 'look after bills',
      ...completes('Full refund of $299.99 approved and processed. Refund ID: REF-456789'),
    },
    { prompt: 'Tier 1', ...completes('Order #ORDER-789 has been cancelled. Refund tracking: REF-456789') },
  );
  const { body } = await post('/conversations', { agent: 'support/tier1', message: 'Cancel order #ORDER-789' });
  const { id, pending_inputs: inputs } = body.conversation;
  expect(inputs).toMatchObject([
    {
      agent: 'support/billing',
      tool: 'request_user_input',
      input_type: 'choice',
      required: true,
      message: expect.stringContaining(prompt),
    },
  ]);
  const answer = (content: object) =>
    post(`/conversations/${id}/inputs/${inputs[0].id}`, { action: 'accept', content });
  expect(await answer({ answer: 'Whatever' })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('Deny exception') },
  });
  const { body: done } = await answer({ answer: 'Approve full refund' });
  expect(done.result.response).toBe('Order #ORDER-789 has been cancelled. Refund tracking: REF-456789');
  expect((await answer({ answer: 'Deny exception' })).status).toBe(409);
  const asked = (await model.requests()).slice(before).map(({ body }) => JSON.stringify(body));
  expect(asked).toHaveLength(4);
  expect(asked[2]).toContain('Approve full refund');
});

test('a run keeps the commit that it began with; a conversation can be opened for one, and for none that there is not', {
  timeout: longMs,
}, async () => {
  agents.write('support/tier1/prompt.md', tier1(', second edition'));
  agents.commit('Second');
  expect((await http.post('/repositories/main-agents/sync', {})).status).toBe(200);
  const before = (await model.requests()).length;
  await model.script({ prompt: 'second edition', ...completes('new') }, { prompt: 'Tier 1', ...completes('old') });
  const now = await post('/conversations', { agent: 'support/tier1', message: 'Hello' });
  expect(now.body.result).toMatchObject({ response: 'new' });
  const then = await post('/conversations', { agent: 'support/tier1', git_commit: first, message: 'Hello' });
  expect(then.body.result).toMatchObject({ response: 'old' });
  const [, pinned] = (await model.requests()).slice(before).map(({ body }) => JSON.stringify(body));
  expect(pinned).not.toContain('second edition');

  const missing = await post('/conversations', { agent: 'support/tier2', message: 'Hello' });
  expect(missing).toMatchObject({ status: 404, body: { error: expect.stringContaining('GET /agents') } });
  const noCommit = await post('/conversations', { agent: 'support/tier1', git_commit: 'gone', message: 'Hello' });
  expect(noCommit).toMatchObject({ status: 404, body: { error: expect.stringContaining('gone') } });
  const unpinned = await post('/conversations', { agent: 'tested', git_commit: first, message: 'Hello' });
  expect(unpinned).toMatchObject({ status: 400, body: { error: expect.stringContaining('no revisions') } });
});
