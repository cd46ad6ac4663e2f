import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentsInGit } from './git-agents.ts';
import { type Client, client, until } from './http.ts';
import { type ScriptedModel, type Step, scriptedModel } from './model.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/** People end one of the agents that work below each other with all that it has called, and pause, resume and end the whole run. */
const longMs = 120_000;

let place: Workplace;
let platform: Platform;
let http: Client;
let model: ScriptedModel;

const file = (name: string, more: string) =>
  `---\nname: ${name}\ndescription: Is ${name}\n${more}\n---\nYou are ${name}. Your task: {{prompt}}\n`;
const call = (name: string, args: Record<string, unknown>) => ({ name, args });
const calls = (agent_name: string, of = 'x') => call('call_agent', { agent_name, input: of, context_scope: 'NONE' });
const completes = (result: string) => call('complete_agent_execution', { result, status: 'SUCCESS' });
const says = (who: string, ...all: ReturnType<typeof call>[]): Step => ({ prompt: `You are ${who}`, calls: all });

beforeAll(async () => {
  place = workplace();
  model = await scriptedModel();
  const agents = agentsInGit(join(place.folder, 'agents'));
  agents.write('boss/prompt.md', file('Boss', 'allowedAgents: [lead, aside]'));
  agents.write('lead/prompt.md', file('Lead', 'allowedAgents: [clerk]'));
  agents.write('clerk/prompt.md', file('Clerk', 'mcpServers: [resources]'));
  agents.write('aside/prompt.md', file('Aside', 'mcpServers: [resources]'));
  agents.write('thrifty/prompt.md', file('Thrifty', 'mcpServers: [resources]\nmaxTokens: 1'));
  agents.commit('Five agents');
  const repository = `{ name: agents, git_url: ${JSON.stringify(agents.folder)}, is_root: true, sync_interval: 1h }`;
  const more = `\nllm: { model: openai:m }\nagent_folders: [${JSON.stringify(place.folder)}]\nagent_repositories: [${repository}]`;
  platform = await start(place, resourcesConfig(place, more), { env: model.env });
  http = client(platform.url);
  await until('the agents are known', async () => (await http.get('/agents/boss')).status === 200 || undefined);
}, longMs);

afterAll(async () => {
  await platform.discard();
  await model.stop();
  place.remove();
});

// The shapes of other routes do not fit here.
const json = async (answer: ReturnType<Client['get']>) => {
  const { status, text } = await answer;
  return { status, body: JSON.parse(text) };
};
const post = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
  json(http.post(path, body, headers));
const stepsOf = async (id: string) => (await json(http.get(`/runs/${id}/steps`))).body.steps;
const statesOf = async (id: string) =>
  Object.fromEntries((await stepsOf(id)).map(({ agent, state }: Record<string, string>) => [agent, state]));

/** A run in which the boss has called the lead, who called the clerk, whose call waits; and another agent, whose call waits too. */
async function threeDeep() {
  await model.script(
    says('Boss', calls('lead'), calls('aside')),
    says('Lead', calls('clerk')),
    says('Clerk', call('resources_add', { name: 'of-clerk', value: 1 })),
    says('Aside', call('resources_add', { name: 'of-aside', value: 2 })),
  );
  const { body } = await post('/conversations', { agent: 'boss', message: 'Go' }, { prefer: 'respond-async' });
  const { id } = body.conversation;
  const approvals = await until('both calls wait', async () => {
    const { conversation } = (await json(http.get(`/conversations/${id}`))).body;
    return conversation.pending_approvals.length === 2 ? conversation.pending_approvals : undefined;
  });
  const waitsFor = (agent: string) =>
    approvals.find(({ agent_path }: { agent_path: string[] }) => agent_path.at(-1) === agent).uuid as string;
  return { id: id as string, waitsFor };
}

test('an agent that is ended takes those with it that it called; whoever works beside it goes on, and its caller is told', {
  timeout: longMs,
}, async () => {
  const { id, waitsFor } = await threeDeep();
  const lead = (await stepsOf(id)).find(({ agent }: { agent: string }) => agent === 'lead');
  const path = `/runs/${id}/steps/${encodeURIComponent(lead.id)}/cancel`;
  expect((await post(path, { reason: 'too slow' }, { 'x-approver': 'ada' })).status).toBe(200);
  expect(await statesOf(id)).toEqual({
    ...{ boss: 'BLOCKED_ON_INPUT', lead: 'CANCELED', clerk: 'CANCELED', aside: 'BLOCKED_ON_INPUT' },
  });
  const { conversation } = (await json(http.get(`/conversations/${id}`))).body;
  expect(conversation.pending_approvals.map(({ uuid }: { uuid: string }) => uuid)).toEqual([waitsFor('aside')]);
  expect((await post(`/approvals/${waitsFor('clerk')}`, { approved: true })).status).toBe(409);
  const { body: withdrawn } = await json(http.get(`/approvals/${waitsFor('clerk')}`));
  expect(withdrawn.approval).toMatchObject({ status: 'withdrawn' });
  expect((await post(path)).status).toBe(409);

  await model.script(says('Aside', completes('Added.')), says('Boss', completes('Half of it is done.')));
  const { body } = await post(`/approvals/${waitsFor('aside')}`, { approved: true });
  expect(body.result.response).toBe('Half of it is done.');
  const told = JSON.stringify((await model.requests()).at(-1)?.body);
  for (const words of ['ada', 'too slow', 'Added.']) expect(told).toContain(words);
  expect(told).not.toContain('of-clerk');
  expect(await statesOf(id)).toEqual({ boss: 'COMPLETED', lead: 'CANCELED', clerk: 'CANCELED', aside: 'COMPLETED' });
});

test('a run that is paused begins nothing, takes decisions, and goes on once it is resumed', {
  timeout: longMs,
}, async () => {
  const { id, waitsFor } = await threeDeep();
  expect((await post(`/runs/${id}/pause`, { reason: 'I look first' }, { 'x-approver': 'ada' })).status).toBe(200);
  const before = (await model.requests()).length;
  for (const agent of ['clerk', 'aside'])
    expect([200, 202]).toContain((await post(`/approvals/${waitsFor(agent)}`, { approved: true })).status);
  const { conversation } = (await json(http.get(`/conversations/${id}`))).body;
  expect(conversation.run.paused).toMatchObject({ by: 'ada', reason: 'I look first' });
  expect(conversation.waiting_for).toMatchObject([{ kind: 'pause' }]);
  expect(conversation.pending_approvals).toEqual([]);
  expect((await model.requests()).length).toBe(before);

  await model.script(
    says('Clerk', completes('Added.')),
    says('Aside', completes('Added.')),
    says('Lead', completes('Done.')),
    says('Boss', completes('All of it is done.')),
  );
  const { body } = await post(`/runs/${id}/resume`);
  expect(body.result.response).toBe('All of it is done.');
  expect((await post(`/runs/${id}/resume`)).status).toBe(409);
});

test('a run that is paused at a limit goes on with the limit that a person gives it, which is on the record and shown', {
  timeout: longMs,
}, async () => {
  const looks = says('Thrifty', call('resources_list', {}));
  await model.script(looks, looks, says('Thrifty', completes('Looked twice.')));
  const { body: begun } = await post('/conversations', { agent: 'thrifty', message: 'Look' });
  const { id } = begun.conversation;
  const { paused } = begun.conversation.run;
  const reached = { max_tokens: { used: expect.any(Number), most: 1 } };
  expect(paused).toMatchObject({ agent: 'thrifty', reached, reason: expect.stringContaining('give a new limit') });
  const [waits] = begun.conversation.waiting_for;
  expect(waits).toMatchObject({ kind: 'pause', text: expect.stringMatching(/or cancel it\. \(since [^ ]+Z\)$/) });
  const { used } = paused.reached.max_tokens;
  const resume = (limits?: object) => post(`/runs/${id}/resume`, limits && { limits }, { 'x-approver': 'ada' });
  for (const [limits, status, error] of [
    [{ max_tokens: used }, 409, `has used ${used.toLocaleString('en')} tokens already: max_tokens must be more`],
    [{ max_cost: 2.5 }, 409, 'give a new max_tokens as well'],
    [{ max_tokens: 50_000, max_agent_calls: 101 }, 400, 'max_agent_calls must be at most 100'],
    [{ max_tokens: 0 }, 400, '"limits.max_tokens" must be a whole number from 1'],
    [{ max_cost: '2.50' }, 400, '"limits.max_cost" must be an amount of US dollars'],
    [
      { max_steps: 500 },
      400,
      'unknown member "max_steps" in "limits"; known: "max_tokens", "max_cost", "max_agent_calls"',
    ],
    [{}, 400, '"limits" must name a limit'],
  ] as const)
    expect(await resume(limits)).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
  // As much again is one token.
  expect((await resume()).body.conversation.run.paused.reached.max_tokens.most).toBe(2);
  const { body } = await resume({ max_tokens: 50_000, max_cost: 2.5 });
  expect(body.result.response).toBe('Looked twice.');
  expect(body.conversation.messages.map(({ content }: { content: string }) => content)).toContain(
    'The run was resumed by ada: the agent thrifty may use up to 50,000 tokens and $2.50.',
  );
  expect(await stepsOf(id)).toMatchObject([{ agent: 'thrifty', limits: { max_tokens: 50_000, max_cost: 2.5 } }]);
  expect(await resume({ max_tokens: 60_000 })).toMatchObject({ status: 409, body: { reason: 'settled' } });

  await model.script(says('Boss', calls('lead'), calls('aside')));
  const other = await threeDeep();
  expect(await post(`/runs/${other.id}/resume`, { limits: { max_tokens: 60_000 } })).toMatchObject({
    ...{ status: 409, body: { reason: 'not_at_limit' } },
  });
  await post(`/conversations/${other.id}/cancel`);
});

test('a run that is ended has every agent of it canceled, and nothing of what waited happens', {
  timeout: longMs,
}, async () => {
  const { id, waitsFor } = await threeDeep();
  expect((await post(`/conversations/${id}/cancel`, { reason: 'no need' })).status).toBe(200);
  expect(await statesOf(id)).toEqual({ boss: 'CANCELED', lead: 'CANCELED', clerk: 'CANCELED', aside: 'CANCELED' });
  for (const agent of ['clerk', 'aside'])
    expect((await post(`/approvals/${waitsFor(agent)}`, { approved: true })).status).toBe(409);
});
