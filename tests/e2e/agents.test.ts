import { createHmac } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCaptured } from '@stopgo/cli';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsInGit, agentsInGit } from './git-agents.ts';
import { type Client, client, until } from './http.ts';
import { type Platform, resourcesConfig, start, type Workplace, workplace } from './platform.ts';

/** Agents from git: a repository made on the spot is synced, looked up by name, shown at a commit, and known after a restart. */
const longMs = 120_000;
const model = { OPENAI_API_KEY: 'unused', GEMINI_API_KEY: 'unused', HOOK_SECRET: 'a secret of the repository' };

let place: Workplace;
let platform: Platform;
let http: Client;
let first: string;
let agents: AgentsInGit;

const repository = () => join(place.folder, 'agents');
const agentFile = (description: string) =>
  `---\nname: Agent\ndescription: ${description}\ntags: [bills]\n---\nYou help with ${description}.\n`;

const config = () =>
  resourcesConfig(
    place,
    `
agent_folders: [${JSON.stringify(place.folder)}]
agent_repositories:
  - { name: main-agents, git_url: ${JSON.stringify(repository())}, is_root: true, sync_interval: 1h, webhook_secret: env(HOOK_SECRET) }
  - { name: experimental, git_url: ${JSON.stringify(`file://${repository()}`)}, branch: next, sync_interval: 1h }
  - { name: mine, git_url: ${JSON.stringify(join(place.folder, 'mine'))}, worktree: true, sync_interval: 1h }`,
  );

// The shapes of other routes do not fit here.
const get = async (path: string) => {
  const { status, text } = await http.get(path);
  return { status, body: JSON.parse(text) };
};

async function startAgain(): Promise<void> {
  platform = await start(place, config(), { env: model });
  http = client(platform.url);
}

const synced = () =>
  until('both repositories are synced', async () => {
    const { body } = await get('/repositories');
    return body.repositories.every((one: { last_sync_status: string }) => one.last_sync_status === 'SUCCESS')
      ? body.repositories
      : undefined;
  });

beforeAll(async () => {
  place = workplace();
  mkdirSync(join(place.folder, 'mine'));
  agents = agentsInGit(repository());
  agents.write('support/billing/prompt.md', agentFile('bills'));
  agents.write('README.md', '# Agents\n');
  first = agents.commit('First');
  agents.git('branch', 'next');
  agents.write('support/billing/prompt.md', agentFile('late bills'));
  agents.write('broken/prompt.md', '---\nname: Broken\ndescription: [\n---\nHelp.\n');
  agents.commit('Second');
  await startAgain();
}, longMs);

afterAll(async () => {
  await platform.discard();
  place.remove();
});

test('agents are found by name, in root repositories first, with history and as they were', {
  timeout: longMs,
}, async () => {
  const [main, experimental] = await synced();
  expect(main).toMatchObject({
    name: 'main-agents',
    worktree: false,
    is_root: true,
    agent_count: 1,
    sync_error_count: 1,
  });
  expect(main.sync_errors).toEqual([
    expect.objectContaining({ file_path: 'broken/prompt.md', error_type: 'frontmatter', line: expect.any(Number) }),
  ]);
  expect(experimental).toMatchObject({ name: 'experimental', branch: 'next', agent_count: 1, last_sync_commit: first });

  const { body: list } = await get('/agents');
  expect(list.agents.map(({ name }: { name: string }) => name)).toEqual([
    'experimental/support/billing',
    'support/billing',
  ]);
  expect((await get('/agents?q=LATE')).body.agents).toEqual([
    expect.objectContaining({ name: 'support/billing', repository: 'main-agents', description: 'late bills' }),
  ]);
  expect((await get('/agents?limit=1')).body).toMatchObject({ total: 2, next_cursor: 'experimental/support/billing' });

  const { body: now } = await get('/agents/support/billing?history=10');
  expect(now.definition.root.prompt).toBe('You help with late bills.');
  expect(now.history.map(({ message }: { message: string }) => message)).toEqual(['Second', 'First']);
  const { body: before } = await get(`/agents/support/billing?commit=${first}`);
  expect(before.definition.root.prompt).toBe('You help with bills.');
  expect(before.agent).toMatchObject({ git_commit: first, file_path: 'support/billing/prompt.md' });
  expect(await get('/agents/suport/billing')).toEqual({
    status: 404,
    body: expect.objectContaining({ error: expect.stringContaining('did you mean support/billing?') }),
  });
  expect((await get('/agents/support/billing?commit=--upload-pack')).status).toBe(400);
});

test('the history of an agent, what differs in it, and the branches of a repository are shown, from a terminal too', {
  timeout: longMs,
}, async () => {
  const [main] = await synced();
  const agents = async (...args: readonly string[]) => {
    const { code, output, errors } = await runCaptured(['agents', ...args, '--url', platform.url]);
    return { code, lines: output.trimEnd().split('\n'), errors };
  };
  const { body: all } = await get('/agents/support/billing/history');
  expect(all.history.map(({ message }: { message: string }) => message)).toEqual(['Second', 'First']);
  const { body: early } = await get('/agents/support/billing/history?commit=next&limit=5');
  expect(early.history).toEqual([expect.objectContaining({ hash: first, author: 'Ana' })]);
  const { body: diff } = await get(`/agents/support/billing/diff?from=${first}&to=main`);
  expect(diff).toEqual({
    repository: 'main-agents',
    from: { git_commit: first, file_path: 'support/billing/prompt.md' },
    to: { git_commit: main.last_sync_commit, file_path: 'support/billing/prompt.md' },
    patch: expect.stringContaining('-description: bills\n+description: late bills\n'),
  });
  expect((await get('/agents/support/billing/diff')).body).toEqual(diff);
  expect((await get('/agents/support/billing/diff?to=next')).body).toMatchObject({
    from: null,
    patch: expect.stringMatching(/^@@ -0,0 \+1,6 @@\n\+---\n/u),
  });
  expect((await get('/agents/support%2Fbilling/diff?from=next&to=next')).body.patch).toBe('');
  expect((await get('/agents/support/billing/diff?from=nowhere')).status).toBe(404);
  expect((await get('/repositories/main-agents/branches')).body).toEqual({
    branches: [
      expect.objectContaining({ name: 'main', git_commit: main.last_sync_commit }),
      expect.objectContaining({ name: 'next', git_commit: first }),
    ],
    ...{ tags: [], more: false },
  });

  expect((await agents('list')).lines).toEqual([
    'experimental/support/billing  bills',
    'support/billing               late bills',
  ]);
  expect((await agents('show', 'support/billing', first)).lines).toEqual([
    'support/billing: bills',
    `  support/billing/prompt.md of main-agents, at ${first.slice(0, 12)}, tags: bills`,
    '  | You help with bills.',
  ]);
  expect((await agents('history', 'support/billing')).lines).toEqual([
    expect.stringMatching(/^[0-9a-f]{12} {2}\S+Z {2}Ana {2}Second$/u),
    expect.stringMatching(new RegExp(`^${first.slice(0, 12)} .* First$`, 'u')),
  ]);
  expect((await agents('diff', 'support/billing', first)).lines).toEqual([
    `--- support/billing/prompt.md at ${first.slice(0, 12)}`,
    `+++ support/billing/prompt.md at ${main.last_sync_commit.slice(0, 12)}`,
    ...diff.patch.trimEnd().split('\n'),
  ]);
  expect(await agents('diff', 'suport/billing')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('no agent'),
  });
});

test('people save in the memory of an agent, search it, and have something forgotten, from a terminal too', {
  timeout: longMs,
}, async () => {
  await synced();
  const path = '/agents/support/billing/memories';
  const put = async (key: string, body: object, headers: Record<string, string> = {}, of = path) => {
    const request = { method: 'PUT', headers: { 'content-type': 'application/json', ...headers } };
    const answer = await fetch(`${platform.url}${of}/${key}`, { ...request, body: JSON.stringify(body) });
    return { status: answer.status, etag: answer.headers.get('etag'), body: JSON.parse(await answer.text()) };
  };
  const memory = async (...args: readonly string[]) => {
    const { code, output, errors } = await runCaptured(['memory', ...args, '--url', platform.url]);
    return { code, lines: output.trimEnd().split('\n'), errors };
  };
  const made = await put('customer%2F7', { value: { name: 'Ada', total: 42.5 } }, { 'if-none-match': '*' });
  expect(made).toMatchObject({ status: 201, etag: '"1"', body: { memory: { key: 'customer/7', revision: 1 } } });
  expect((await put('customer%2F7', { value: 1 }, { 'if-none-match': '*' })).status).toBe(412);
  expect((await put('k', { value: 1 }, {}, '/agents/suport/billing/memories')).body.error).toContain('did you mean');
  expect((await put('customer%2F7', { value: ['Ada L.'] }, { 'if-match': '"1"' })).etag).toBe('"2"');
  expect((await put('old', { value: 1, expires_at: '2020-01-01T00:00:00Z' })).body.error).toContain('would expire');

  expect((await memory('set', 'support/billing', 'greeting', '"Hello"', '--at', '0')).lines).toEqual([
    expect.stringMatching(/^greeting: saved at \S+Z by user anonymous, revision 3$/u),
    '  "Hello"',
  ]);
  expect((await memory('set', 'support/billing', 'greeting', 'Hello')).errors).toContain('must be JSON');
  expect((await memory('list', 'support/billing')).lines).toEqual(['customer/7  ["Ada L."]', 'greeting  "Hello"']);
  expect((await memory('list', 'support/billing', '--search', 'ada')).lines).toEqual(['customer/7  ["Ada L."]']);
  expect((await get(`${path}?query=hello`)).body).toMatchObject({ total: 1, memories: [{ key: 'greeting' }] });
  expect((await get('/agents/experimental/support/billing/memories')).body.total).toBe(0);
  expect(await memory('remove', 'support/billing', 'greeting', '--at', '1')).toMatchObject({
    ...{ code: 1, errors: expect.stringContaining('it has revision 3 now') },
  });
  expect((await memory('remove', 'support/billing', 'greeting')).code).toBe(0);
  expect(await memory('show', 'support/billing', 'greeting')).toMatchObject({
    ...{ code: 1, errors: expect.stringContaining('there is no memory greeting; there is customer/7') },
  });
});

test('edits in a folder that is no repository of git are taken up, and marked', { timeout: longMs }, async () => {
  await synced();
  writeFileSync(join(place.folder, 'mine', 'draft.md'), agentFile('as it is written'));
  const { text } = await http.post('/repositories/mine/sync', {});
  const marked = expect.stringMatching(/^worktree-[0-9a-f]{40}$/u);
  expect(JSON.parse(text).repository).toMatchObject({ agent_count: 1, last_sync_commit: marked, worktree: true });
  const { body } = await get('/agents/mine/draft');
  expect(body.agent).toMatchObject({ description: 'as it is written', git_commit: marked });
  rmSync(join(place.folder, 'mine', 'draft.md'));
  await http.post('/repositories/mine/sync', {});
  expect((await get('/agents/mine/draft')).status).toBe(404);
});

test('a signed webhook has a push to the branch taken up; one that comes again changes nothing', {
  timeout: longMs,
}, async () => {
  await synced();
  agents.write('greeting/prompt.md', agentFile('greetings'));
  agents.write('greeting/history/prompt.md', agentFile('earlier greetings'));
  const pushed = agents.commit('Greet');
  const body = JSON.stringify({ ref: 'refs/heads/main', after: pushed });
  const signed = (secret: string) => ({
    'X-GitHub-Event': 'push',
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  });
  const send = async (headers: Record<string, string>, name = 'main-agents') => {
    const answer = await fetch(`${platform.url}/repositories/${name}/webhook`, { method: 'POST', headers, body });
    return { status: answer.status, text: await answer.text() };
  };
  expect(await send(signed('another secret'))).toMatchObject({
    status: 403,
    text: expect.stringContaining('not proven'),
  });
  expect(await send(signed(model.HOOK_SECRET), 'experimental')).toMatchObject({
    ...{ status: 404, text: expect.stringContaining('webhook_secret') },
  });
  expect((await get('/agents/greeting')).status).toBe(404);
  expect(await send(signed(model.HOOK_SECRET))).toEqual({ status: 202, text: '{"syncs":true}' });
  await until('the push is taken up', async () => (await get('/agents/greeting')).status === 200 || undefined);
  const ofPlatform = await runCaptured(['agents', 'show', 'greeting/history', '--url', platform.url]);
  expect(ofPlatform.output).toContain('greeting/history: earlier greetings');
  const before = (await get('/repositories')).body.repositories[0];
  expect(before).toMatchObject({ last_sync_commit: pushed, last_sync_status: 'SUCCESS' });
  expect((await send(signed(model.HOOK_SECRET))).status).toBe(202);
  await http.post('/repositories/main-agents/sync', {});
  expect((await get('/repositories')).body.repositories[0]).toEqual(before);
});

test('a repository is added, switched to another branch and removed over the API, and its secrets are never shown', {
  timeout: longMs,
}, async () => {
  await synced();
  const send = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json' };
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${platform.url}${path}`, { method, headers, ...given });
    const text = await answer.text();
    expect(text).not.toContain(secret);
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const secret = 'the secret of its webhooks';
  const team = { name: 'team', git_url: repository(), branch: 'next', sync_interval: '1h', webhook_secret: secret };
  expect(await send('POST', '/repositories', { ...team, git_url: '/etc' })).toMatchObject({
    ...{ status: 400, body: { error: expect.stringContaining('below none of agent_folders') } },
  });
  const added = await send('POST', '/repositories', team);
  expect(added).toMatchObject({
    status: 201,
    body: { repository: { name: 'team', is_configured: false, sync_interval: '1h', takes_webhooks: true } },
  });
  expect(await send('POST', '/repositories', team)).toMatchObject({ status: 409 });
  await until('it is synced', async () => (await get('/agents/team/support/billing')).status === 200 || undefined);
  expect((await get('/agents/team/support/billing')).body.agent.description).toBe('bills');

  expect(await send('PATCH', '/repositories/team', { branch: 'main' })).toMatchObject({ status: 200 });
  await until('the other branch is taken up', async () => {
    const { body } = await get('/agents/team/support/billing');
    return body.agent?.description === 'late bills' || undefined;
  });
  expect(await send('PATCH', '/repositories/main-agents', { branch: 'next' })).toMatchObject({
    ...{ status: 409, body: { error: expect.stringContaining('change it there, and restart') } },
  });
  const body = JSON.stringify({ ref: 'refs/heads/main' });
  const hook = await fetch(`${platform.url}/repositories/team/webhook`, {
    ...{ method: 'POST', headers: { 'X-Gitlab-Event': 'Push Hook', 'X-Gitlab-Token': secret }, body },
  });
  expect(hook.status).toBe(202);

  await platform.end('SIGTERM');
  await startAgain();
  expect((await get('/agents/team/support/billing')).body.agent.description).toBe('late bills');
  expect(await send('DELETE', '/repositories/team')).toEqual({ status: 204, body: undefined });
  expect((await get('/agents/team/support/billing')).status).toBe(404);
  expect(await send('DELETE', '/repositories/team')).toMatchObject({ status: 404 });
  expect((await get('/repositories')).body.repositories).toHaveLength(3);
});

test('a commit is taken up when a sync is asked for, a failure is said in one line, and a restart knows all', {
  timeout: longMs,
}, async () => {
  await synced();
  agents.write('broken/prompt.md', agentFile('mended'));
  agents.commit('Third');
  const answer = await http.post('/repositories/main-agents/sync', {});
  expect(JSON.parse(answer.text).repository).toMatchObject({
    agent_count: 4,
    sync_errors: [],
    last_sync_status: 'SUCCESS',
  });
  expect((await get('/agents/broken')).body.agent).toMatchObject({ description: 'mended' });

  agents.git('branch', '--move', 'main', 'gone');
  const refused = await http.post('/repositories/main-agents/sync', {});
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('there is no branch main; it has gone, next');
  expect((await get('/agents/broken')).status).toBe(200);
  await platform.end('SIGTERM');
  await startAgain();
  expect((await get('/agents/broken')).body.agent).toMatchObject({ description: 'mended' });
});
