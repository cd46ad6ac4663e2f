import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type Actor, fact, repositoryListStream } from '@stopgo/core';
import { Secret } from '@stopgo/rpc';
import { Sealer } from '@stopgo/security';
import { expect, onTestFinished, test } from 'vitest';
import type { NewRepository } from '../src/list/repositories.ts';
import { keptRepositories, sealingKey as key } from './support/kept-repositories.ts';
import { MemoryLog } from './support/memory-log.ts';
import { TestRepository } from './support/repository.ts';

const { signal } = new AbortController();
const ana: Actor = { kind: 'user', id: 'ana@example.org' };
const token = 'ghp_thetokenitself';
const hookSecret = 'the secret of the webhooks';

const agentFile = (description: string) => `---\nname: Agent\ndescription: ${description}\n---\nHelp.\n`;

const wanted = (source: TestRepository, more: Partial<NewRepository> = {}): NewRepository => ({
  ...{ name: 'team', gitUrl: source.folder, isRoot: false },
  ...more,
});

function source() {
  const made = new TestRepository();
  made.write('support/prompt.md', agentFile('on main'));
  made.commit('First');
  made.git('branch', 'next');
  made.git('checkout', '--quiet', 'next');
  made.write('support/prompt.md', agentFile('on next'));
  made.commit('Second');
  made.git('checkout', '--quiet', 'main');
  return made;
}

test('a repository that somebody adds is kept, by all replicas and after a restart, and says who added it', async () => {
  const of = source();
  const log = new MemoryLog();
  const one = await keptRepositories(log, of.folder);
  const other = await keptRepositories(log, of.folder);
  const kept = await one.repositories.add(wanted(of), ana, signal);
  await kept.sync();
  expect(one.find('team/support')).toBe('on main');
  await expect.poll(() => other.find('team/support')).toBe('on main');
  expect((await keptRepositories(log, of.folder)).find('team/support')).toBe('on main');
  expect(log.streams.get(repositoryListStream)?.map(({ fact, actor }) => [fact.case, actor.id])).toEqual([
    ['repositoryListed', ana.id],
  ]);
});

test('another branch is taken up, an interval is none of the record’s business, and an inactive one offers nothing', async () => {
  const of = source();
  const one = await keptRepositories(new MemoryLog(), of.folder);
  await (await one.repositories.add(wanted(of), ana, signal)).sync();
  const changed = await one.repositories.change('team', { branch: 'next', syncIntervalMs: 60_000 }, ana, signal);
  expect(changed.options).toMatchObject({ branch: 'next', syncIntervalMs: 60_000, isActive: true });
  await changed.sync();
  expect(one.find('team/support')).toBe('on next');
  await one.repositories.change('team', { isActive: false }, ana, signal);
  expect(one.find('team/support')).toBeUndefined();
});

test('a change that changes nothing records nothing', async () => {
  const of = source();
  const log = new MemoryLog();
  const one = await keptRepositories(log, of.folder);
  await one.repositories.add(wanted(of), ana, signal);
  await one.repositories.change('team', { branch: 'main', isActive: true }, ana, signal);
  expect(log.streams.get(repositoryListStream)).toHaveLength(1);
});

test('what is removed is gone for all, and nothing of it comes back with the name', async () => {
  const of = source();
  const log = new MemoryLog();
  const one = await keptRepositories(log, of.folder);
  const other = await keptRepositories(log, of.folder);
  await (await one.repositories.add(wanted(of), ana, signal)).sync();
  await expect.poll(() => other.find('team/support')).toBe('on main');
  await one.repositories.remove('team', ana, signal);
  expect(one.find('team/support')).toBeUndefined();
  await expect.poll(() => other.repositories.all()).toEqual([]);
  const again = await one.repositories.add(wanted(of, { isActive: false }), ana, signal);
  expect(again.offered().agents.size).toBe(0);
  await expect(one.repositories.remove('elsewhere', ana, signal)).rejects.toThrow('there is no repository elsewhere');
});

test.each([
  ['has read nothing yet', 'read', 1],
  ['has read the record of the name', 'read', 2],
  ['is about to take back what one of that name held', 'append', 1],
] as const)(
  'of two who add one name the first has it, and loses nothing of it, if the other %s',
  async (_, at, nth) => {
    const of = source();
    const log = new MemoryLog();
    const one = await keptRepositories(log, of.folder);
    const other = await keptRepositories(log, of.folder);
    // Its removal was not finished: the record still has agents.
    await (await one.repositories.add(wanted(of), ana, signal)).sync();
    const listing = log.streams.get(repositoryListStream)?.length ?? 0;
    const unlisted = [fact('repositoryUnlisted', { name: 'team' })];
    log.append({
      ...{ stream: repositoryListStream, expectedRevision: listing, facts: unlisted, actor: ana, key: 'k', now: 1 },
      ...{ eventIds: ['e'], correlationId: '', causationId: '' },
    });
    await expect.poll(() => [one, other].map(({ repositories }) => repositories.all())).toEqual([[], []]);
    let left = nth;
    const first = async () => {
      left -= 1;
      if (left === 0) await (await one.repositories.add(wanted(of), ana, signal)).sync();
    };
    if (at === 'read') log.beforeRead = first;
    else log.before = first;
    const added = other.repositories.add(wanted(of, { branch: 'next' }), ana, signal);
    await expect(added).rejects.toThrow('there is a repository team');
    expect(one.find('team/support')).toBe('on main');
    expect(log.kinds(repositoryListStream).filter((kind) => kind === 'repositoryListed')).toHaveLength(2);
  },
);

test('a start removes the mirrors of repositories that are gone, and no other', async () => {
  const of = source();
  const log = new MemoryLog();
  const one = await keptRepositories(log, of.folder, { configured: ['main', 'old'] });
  for (const name of ['team', 'broken', 'removed']) await one.repositories.add(wanted(of, { name }), ana, signal);
  await Promise.all(one.repositories.all().map((repository) => repository.sync()));
  await one.repositories.remove('removed', ana, signal);
  await one.repositories.stop();
  const mirrors = () => readdirSync(one.folder).filter((name) => name.endsWith('.git'));
  mkdirSync(join(one.folder, 'another'));
  expect(mirrors().sort()).toEqual(['broken.git', 'main.git', 'old.git', 'removed.git', 'team.git']);
  await keptRepositories(log, of.folder, { folder: one.folder, configured: ['main'], broken: 'broken' });
  // One that cannot be kept now is still in the list.
  expect(mirrors().sort()).toEqual(['broken.git', 'main.git', 'team.git']);
  expect(existsSync(join(one.folder, 'another'))).toBe(true);
});

test('a repository that cannot be kept keeps no other from being taken up', async () => {
  const of = source();
  const log = new MemoryLog();
  const { repositories } = await keptRepositories(log, of.folder);
  for (const name of ['one', 'two']) await repositories.add(wanted(of, { name }), ana, signal);
  const later = await keptRepositories(log, of.folder, { broken: 'one' });
  expect(later.repositories.all().map(({ options }) => options.name)).toEqual(['two']);
});

test('what the configuration took under a name is nothing of the repository that is added under it', async () => {
  const of = source();
  const log = new MemoryLog();
  const before = await keptRepositories(log, of.folder, { configured: ['team'] });
  await before.repositories.all()[0]?.sync();
  expect(before.find('support')).toBe('on main');
  await before.repositories.stop();
  const { repositories } = await keptRepositories(log, of.folder);
  const added = await repositories.add(wanted(of, { isRoot: true, isActive: false }), ana, signal);
  expect(added.offered().agents.size).toBe(0);
});

test('one of the configuration is left alone, and goes before one of its name that was added', async () => {
  const of = source();
  const log = new MemoryLog();
  const one = await keptRepositories(log, of.folder, { configured: ['main'] });
  const words = 'is one of "agent_repositories" in the configuration';
  await expect(one.repositories.change('main', { branch: 'next' }, ana, signal)).rejects.toThrow(words);
  await expect(one.repositories.remove('main', ana, signal)).rejects.toThrow(words);
  await expect(one.repositories.add(wanted(of, { name: 'main' }), ana, signal)).rejects.toThrow('choose another name');
  await one.repositories.add(wanted(of, { name: 'team' }), ana, signal);
  const later = await keptRepositories(log, of.folder, { configured: ['team'] });
  expect(later.repositories.all().map(({ options }) => [options.name, options.isConfigured])).toEqual([['team', true]]);
});

test.each([
  ['a folder that is below none of agent_folders', { gitUrl: '/etc' }, 'below none of agent_folders'],
  ['one by file://', { gitUrl: 'file:///etc' }, 'below none of agent_folders'],
  ['a helper program', { gitUrl: 'ext::evil' }, 'names a helper program'],
  ['an option', { gitUrl: '--upload-pack=evil' }, 'begins with a dash'],
  ['credentials in the address', { gitUrl: 'https://user:secret@h/a' }, 'holds credentials'],
  ['a token in the address', { gitUrl: 'https://h.example/a?token=secret' }, 'holds a query or a fragment'],
  ['a branch that is an option', { branch: '--all' }, 'is no name of a branch'],
  ['an interval of nothing', { syncIntervalMs: 0 }, 'sync_interval must be from 1s'],
  ['a token for a folder', { authType: 'token', credentials: new Secret(token) }, 'goes with an https address'],
  [
    'a key that is none',
    { gitUrl: 'git@h.example:a.git', authType: 'ssh-key', credentials: new Secret(token) },
    'must be a private key',
  ],
  ['a key for https', { gitUrl: 'https://h.example/a', authType: 'ssh-key' }, 'goes with an address of ssh'],
  ['a token that is empty', { gitUrl: 'https://h.example/a', authType: 'token' }, 'auth_token must be'],
  ['a secret that can be guessed', { webhookSecret: new Secret('short') }, 'webhook_secret must be 16 to'],
] as const)('%s is refused, and nothing is recorded', async (_which, more, words) => {
  const of = source();
  const log = new MemoryLog();
  const one = await keptRepositories(log, of.folder);
  const refused = one.repositories.add(wanted(of, more), ana, signal);
  await expect(refused).rejects.toThrow(words);
  await expect(refused).rejects.not.toThrow(/thetokenitself|secret@|token=secret|short/u);
  expect(log.streams.has(repositoryListStream)).toBe(false);
});

test('what is added has to be in the public network: nothing else is recorded, or asked by git', async () => {
  const of = source();
  const log = new MemoryLog();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  const one = await keptRepositories(log, of.folder, { names: { 'git.example.com': ['127.0.0.1'] } });
  const literal = one.repositories.add(wanted(of, { gitUrl: `http://127.0.0.1:${port}/a` }), ana, signal);
  await expect(literal).rejects.toMatchObject({ kind: 'invalid_argument', message: /not of the public network/u });
  expect(log.streams.has(repositoryListStream)).toBe(false);
  // Whom a name stands for is found out when it is fetched.
  const gitUrl = `https://git.example.com:${port}/a`;
  const named = await one.repositories.add(wanted(of, { gitUrl, isActive: false }), ana, signal);
  await expect(named.sync()).rejects.toMatchObject({ kind: 'refused' });
  expect(named.record.state.failure).toMatchObject({ kind: 'refused', message: /added_repositories\.allow_private/u });
  // A folder is named by the configuration, and so is what that takes agents from.
  await (await one.repositories.add(wanted(of, { name: 'folder' }), ana, signal)).sync();
  expect(connections).toBe(0);
});

test('secrets are sealed for their repository, and whoever has another key cannot use them', async () => {
  const of = source();
  const log = new MemoryLog();
  const one = await keptRepositories(log, of.folder);
  const secrets = { authType: 'token', credentials: new Secret(token), webhookSecret: new Secret(hookSecret) } as const;
  const added = await one.repositories.add(
    wanted(of, { gitUrl: 'https://127.0.0.1:1/agents.git', isActive: false, ...secrets }),
    ...([ana, signal] as const),
  );
  expect(added.options.credentials()).toEqual({ type: 'token', token });
  expect(added.options.webhookSecret?.reveal()).toBe(hookSecret);
  const [listed] = log.streams.get(repositoryListStream) ?? [];
  if (listed?.fact.case !== 'repositoryListed') throw new Error('nothing is recorded');
  const { sealedCredentials, sealedWebhookSecret, name } = listed.fact.value;
  const text = Buffer.concat([sealedCredentials, sealedWebhookSecret]).toString('latin1');
  expect(text).not.toContain(token);
  expect(text).not.toContain(hookSecret);
  const place = (address: string) => ['repository', name, address, 'credentials'];
  expect(new Sealer(key, randomBytes).open(sealedCredentials, place('https://127.0.0.1:1/agents.git'))).toBe(token);
  expect(new Sealer(key, randomBytes).open(sealedCredentials, place('https://127.0.0.1:2/agents.git'))).toBeUndefined();

  const [ofOther] = (await keptRepositories(log, of.folder, { sealingKey: randomBytes(32) })).repositories.all();
  expect(() => ofOther?.options.credentials()).toThrow('sealed with a key that this registry does not have');
  expect(ofOther?.options.webhookSecret).toBeUndefined();

  const changed = await one.repositories.change('team', { branch: 'next', webhookSecret: null }, ana, signal);
  expect(changed.options.credentials()).toEqual({ type: 'token', token });
  expect(changed.options.webhookSecret).toBeUndefined();
  const bare = await one.repositories.change('team', { authType: 'none' }, ana, signal);
  expect(bare.options.credentials()).toEqual({ type: 'none' });
});

test('what is sealed with a key that is gone is set anew together: the record names one key for all', async () => {
  const of = source();
  const log = new MemoryLog();
  const gitUrl = 'https://127.0.0.1:1/agents.git';
  const [before, now] = [randomBytes(32), randomBytes(32)];
  const secrets = { authType: 'token', credentials: new Secret(token), webhookSecret: new Secret(hookSecret) } as const;
  const old = await keptRepositories(log, of.folder, { sealingKey: before });
  await old.repositories.add(wanted(of, { gitUrl, isActive: false, ...secrets }), ana, signal);
  const { repositories } = await keptRepositories(log, of.folder, { sealingKey: now });
  const change = (more: Parameters<typeof repositories.change>[1]) => repositories.change('team', more, ana, signal);
  await expect(change({ webhookSecret: new Secret(hookSecret) })).rejects.toThrow(
    'credentials were sealed with another key',
  );
  await expect(change({ credentials: new Secret(token) })).rejects.toThrow(
    'webhook_secret was sealed with another key',
  );
  const keyIds = () =>
    (log.streams.get(repositoryListStream) ?? []).map(({ fact: one }) =>
      one.case === 'repositoryListed' ? one.value.keyId : '',
    );
  const idOf = (bytes: Uint8Array) => new Sealer(bytes, randomBytes).keyId;
  await change({ branch: 'next' });
  expect(keyIds()).toEqual([idOf(before), idOf(before)]);
  const changed = await change({ credentials: new Secret(token), webhookSecret: null });
  expect(changed.options.credentials()).toEqual({ type: 'token', token });
  await change({ webhookSecret: new Secret(hookSecret) });
  expect(keyIds()).toEqual([idOf(before), idOf(before), idOf(now), idOf(now)]);
});

test('without a key to seal with, repositories can have no secrets', async () => {
  const of = source();
  const one = await keptRepositories(new MemoryLog(), of.folder, { sealingKey: null });
  const added = one.repositories.add(wanted(of, { webhookSecret: new Secret(hookSecret) }), ana, signal);
  await expect(added).rejects.toThrow('no key to seal them with');
  await one.repositories.add(wanted(of), ana, signal);
});

test('a private key is a file of its owner while git runs, and gone then', async () => {
  const of = source();
  const one = await keptRepositories(new MemoryLog(), of.folder);
  const pem = '-----BEGIN OPENSSH PRIVATE KEY-----\nbm9uZQ==\n-----END OPENSSH PRIVATE KEY-----\n';
  const added = await one.repositories.add(
    wanted(of, {
      gitUrl: 'ssh://git@127.0.0.1:1/a.git',
      authType: 'ssh-key',
      credentials: new Secret(pem),
      isActive: false,
    }),
    ...([ana, signal] as const),
  );
  const credentials = added.options.credentials();
  if (credentials.type !== 'ssh_key') throw new Error('it is none');
  expect(readFileSync(credentials.keyPath, 'utf8')).toBe(pem);
  credentials.forget?.();
  await expect(added.sync()).rejects.toThrow();
  expect(existsSync(credentials.keyPath)).toBe(false);
});
