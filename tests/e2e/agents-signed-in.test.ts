import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bankConfig, signsIn } from './bank.ts';
import { type AgentsInGit, agentsInGit } from './git-agents.ts';
import { type Client, client, until } from './http.ts';
import { type HttpTools, httpTools } from './http-tools.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, start, type Workplace, workplace } from './platform.ts';
import { bearer, jwtTaken, tokenOf } from './tokens.ts';

/** Agents from git where people sign in: nobody takes a gate away, or acts with somebody else's token, by what a USER may do. */
const longMs = 120_000;

let place: Workplace;
let platform: Platform;
let http: Client;
let model: ScriptedModel;
let tools: HttpTools;
let agents: AgentsInGit;
let first: string;
/** The only token that the tool server takes, while there is one. */
let taken: string | undefined;
let ana: Record<string, string>;
let boss: Record<string, string>;

const payer = (more = '') => `---
name: Payer
description: Pays
mcpServers: [bank]
${more}---
You pay. Your task: {{prompt}}
`;
const pays = { prompt: 'You pay', calls: [{ name: 'pay', args: {} }] };
const completes = (prompt: string) => ({
  prompt,
  calls: [{ name: 'complete_agent_execution', args: { result: 'done', status: 'SUCCESS' } }],
});

// The shapes of other routes do not fit here.
const post = async (who: Record<string, string>, path: string, body: object) => {
  const { status, text } = await http.post(path, body, who);
  return { status, body: JSON.parse(text) };
};

beforeAll(async () => {
  place = workplace();
  [model, tools] = await Promise.all([scriptedModel(), httpTools({ bearer: () => taken })]);
  agents = agentsInGit(join(place.folder, 'agents'));
  agents.write('pay/payer.md', payer());
  first = agents.commit('First');
  agents.write('pay/payer.md', payer('approvals: require\n'));
  agents.write('tested.md', payer());
  const own = agentsInGit(join(place.folder, 'exp'));
  own.write('fin/payer.md', payer('approvals: require\n'));
  own.commit('Ours');
  agents.commit('A person is asked about each payment');
  const config = bankConfig(
    place,
    tools,
    `
name: tested
prompt: You use tools.
llm: { model: openai:m }
${signsIn(await jwtTaken(place.folder))}
agent_folders: [${JSON.stringify(place.folder)}]
agent_repositories:
  - { name: main-agents, git_url: ${JSON.stringify(agents.folder)}, is_root: true, sync_interval: 1h }
  - { name: exp, git_url: ${JSON.stringify(own.folder)}, sync_interval: 1h }
approvals:
  rules:
    - { name: payer-pays, agent: pay/payer, tool: pay, verdict: allow }
`,
  );
  platform = await start(place, config, { env: model.env });
  http = client(platform.url);
  [ana, boss] = [bearer(await tokenOf('ana@x.example')), bearer(await tokenOf('boss@x.example'))];
  const setup = readFileSync(join(place.dataDir, 'setup-key'), 'utf8').trim();
  await http.post('/users', { email: 'boss@x.example', name: 'Boss' }, { 'x-api-key': setup });
  await until(
    'the repository is synced',
    async () => (await http.get('/agents/pay/payer', ana)).status === 200 || undefined,
  );
}, longMs);

afterAll(async () => {
  await platform.discard();
  await Promise.all([model.stop(), tools.stop()]);
  place.remove();
});

test('a USER runs an agent as it is synced; an older commit, which asks nobody, is for administrators', {
  timeout: longMs,
}, async () => {
  const calls = tools.calls.length;
  const opens = (who: Record<string, string>, git_commit: string) =>
    post(who, '/conversations', { agent: 'pay/payer', message: 'Pay', git_commit });
  await expect(opens(ana, first)).resolves.toMatchObject({
    status: 403,
    body: { error: expect.stringContaining('agent.pin') },
  });
  await model.script(pays);
  const { body: now } = await opens(ana, agents.git('rev-parse', 'HEAD'));
  expect([now.conversation.status, tools.calls.length]).toEqual(['waiting_approval', calls]);
  expect(now.conversation.pending_approval).not.toHaveProperty('agent_source');

  const then = await post(ana, `/conversations/${now.conversation.id}/cancel`, {});
  expect(then.status).toBe(200);
  const next = await post(ana, `/conversations/${now.conversation.id}/messages`, { message: 'Pay', git_commit: first });
  expect(next.status).toBe(403);

  await model.script(pays, completes('You pay'));
  const { status, body } = await opens(boss, first);
  expect([status, body.result.response, tools.calls.length]).toEqual([201, 'done', calls + 1]);
  expect(body.conversation.run.agent_source).toMatchObject({ git_commit: first, pinned: true });
});

test('what a USER asked for as it was synced is answered again after the next sync', { timeout: longMs }, async () => {
  const git_commit = agents.git('rev-parse', 'HEAD');
  const begins = () =>
    post({ ...ana, 'idempotency-key': 'begins-the-first-time' }, '/conversations', {
      agent: 'pay/payer',
      message: 'Pay',
      git_commit,
    });
  await model.script(completes('You pay'));
  const { body: begun } = await begins();
  const goesOn = (message: string) =>
    post(
      { ...ana, 'idempotency-key': `goes-on-with-${message.replaceAll(' ', '-')}` },
      `/conversations/${begun.conversation.id}/messages`,
      {
        ...{ message, git_commit },
      },
    );
  await model.script(completes('You pay'));
  expect((await goesOn('Again')).status).toBe(200);
  agents.write('pay/payer.md', payer('approvals: require\ntags: [later]\n'));
  agents.commit('Later');
  expect((await post(boss, '/repositories/main-agents/sync', {})).status).toBe(200);
  expect((await goesOn('Again')).status).toBe(200);
  expect(await begins()).toMatchObject({ status: 201, body: { conversation: { id: begun.conversation.id } } });
  expect((await goesOn('Once more')).status).toBe(403);
});

test('a run of somebody else never acts with the token of who approves, pauses or resumes it, and its own is used', {
  timeout: longMs,
}, async () => {
  const bosses = { ...boss, 'x-tool-authorization': 'Bearer of-boss' };
  const asks = { match: 'Do it', calls: [{ name: 'pay', args: {} }] };
  const looks = { calls: [{ name: 'whoami', args: {} }] };
  const opens = async (who: Record<string, string>) => {
    await model.script(asks, looks, { text: 'done' });
    const before = tools.calls.length;
    const { body } = await post(who, '/conversations', { message: 'Do it' });
    const { id, pending_approval } = body.conversation;
    return { id, uuid: pending_approval.uuid, sent: () => tools.calls.slice(before).map((one) => one.authorization) };
  };
  const approved = await opens(ana);
  expect((await post(bosses, `/approvals/${approved.uuid}`, { action: 'approve' })).status).toBe(200);
  expect(approved.sent()).toEqual([undefined, undefined]);

  const paused = await opens(ana);
  expect((await post(bosses, `/runs/${paused.id}/pause`, {})).status).toBe(200);
  await post(bosses, `/approvals/${paused.uuid}`, { action: 'approve' });
  expect((await post(bosses, `/runs/${paused.id}/resume`, {})).status).toBe(200);
  expect(paused.sent()).toEqual([undefined, undefined]);

  const own = await opens(ana);
  await post({ ...ana, 'x-tool-authorization': 'Bearer of-ana' }, `/approvals/${own.uuid}`, { action: 'approve' });
  expect(own.sent()).toEqual(['Bearer of-ana', 'Bearer of-ana']);
});

test('a run that waits for a token takes one of whose conversation it is only', { timeout: longMs }, async () => {
  taken = 'of-ana';
  await model.script({ match: 'Who', calls: [{ name: 'whoami', args: {} }] }, { text: 'done' });
  const { body } = await post(ana, '/conversations', { message: 'Who' });
  expect(body).toMatchObject({ result: { auth_required: true } });
  const says = (who: Record<string, string>, token: string) =>
    post({ ...who, 'x-tool-authorization': `Bearer ${token}` }, `/conversations/${body.conversation.id}/messages`, {
      message: 'Here',
    });
  const calls = tools.calls.length;
  expect(await says(boss, 'of-ana')).toMatchObject({
    status: 403,
    body: { error: expect.stringContaining('yours is not used for it') },
  });
  expect(tools.calls.length).toBe(calls);
  expect((await says(ana, 'of-ana')).status).toBe(200);
  expect(tools.calls.at(-1)).toMatchObject({ tool: 'whoami', authorization: 'Bearer of-ana' });
  taken = undefined;
});

test('no repository takes a name over: not of an agent of another one, nor that of the configured agent', {
  timeout: longMs,
}, async () => {
  const get = async (path: string) => JSON.parse((await http.get(path, boss)).text);
  const evil = agentsInGit(join(place.folder, 'evil'));
  evil.write('exp/fin/payer.md', payer());
  evil.write('exp/new.md', payer());
  evil.write('fine/payer.md', payer());
  evil.commit('Theirs');
  // A listed repository takes no name of a configured one, whichever of them has no namespace.
  const listed = { name: 'pay', git_url: join(place.folder, 'shadow') };
  const shadow = agentsInGit(listed.git_url);
  shadow.write('payer.md', payer());
  shadow.commit('Theirs, too');
  for (const one of [{ name: 'evil', git_url: evil.folder, is_root: true }, listed]) {
    expect((await post(boss, '/repositories', one)).status).toBe(201);
    expect((await post(boss, `/repositories/${one.name}/sync`, {})).status).toBe(200);
  }
  expect(await get('/agents/fine/payer')).toMatchObject({ agent: { repository: 'evil' } });
  expect(await get('/agents/exp/fin/payer')).toMatchObject({ agent: { repository: 'exp' } });
  expect(await get('/agents/pay/payer')).toMatchObject({ agent: { repository: 'main-agents' } });
  expect((await http.get('/agents/exp/new', boss)).status).toBe(404);
  expect((await http.get('/agents/tested', boss)).status).toBe(404);

  const { repositories } = await get('/repositories');
  const shown = (name: string) => JSON.stringify(repositories.find((one: { name: string }) => one.name === name));
  expect(shown('evil')).toContain('exp/new begins with the name of a repository');
  expect(shown('main-agents')).toContain('tested is that of the agent of the configuration');
});
