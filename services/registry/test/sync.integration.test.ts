import { join } from 'node:path';
import { agentFromDefinition, agentStream } from '@stopgo/core';
import { expect, test } from 'vitest';
import { Mirror, type MirrorBounds, mirrorBounds } from '../src/git/mirror.ts';
import { GitProgram } from '../src/git/program.ts';
import { remoteOf } from '../src/git/remote.ts';
import { offeredBy } from '../src/offered.ts';
import { RepositoryRecord } from '../src/sync/repository-record.ts';
import { type SyncPorts, syncRepository } from '../src/sync/sync-repository.ts';
import { temporaryFolder } from './support/folder.ts';
import { MemoryLog } from './support/memory-log.ts';
import { TestRepository } from './support/repository.ts';

const { signal } = new AbortController();

const agentFile = (description: string, prompt = 'Help.') =>
  `---\nname: Agent\ndescription: ${description}\n---\n${prompt}\n`;

/** A process that keeps one repository in step with what a log says of it. */
async function replica(
  log: MemoryLog,
  source: TestRepository,
  given: { bounds?: Partial<MirrorBounds>; model?: string; isRoot?: boolean; branch?: string } = {},
) {
  const definitions = log.ports('registry-1');
  const record = new RepositoryRecord(definitions, 'main');
  await record.load(signal);
  await record.declare(
    'main',
    { gitUrl: source.folder, branch: given.branch ?? 'main', isRoot: given.isRoot ?? true },
    signal,
  );
  const mirror = new Mirror(new GitProgram('git', process.env), join(temporaryFolder(), 'm.git'), {
    ...mirrorBounds,
    ...given.bounds,
  });
  const ports: SyncPorts = {
    ...{ definitions, record, mirror },
    remote: () => remoteOf(source.folder, [source.folder]),
    credentials: () => ({ type: 'none' }),
    surroundings: { model: given.model ?? 'offline', ...(given.isRoot === false ? { namespace: 'main' } : {}) },
  };
  const offered = () => offeredBy(record.state);
  return {
    record,
    sync: () => syncRepository(ports, signal),
    names: () => [...offered().agents.keys()].sort(),
    offered,
  };
}

test('a commit is recorded with its agents, each defined before; the same commit is no work', async () => {
  const source = new TestRepository();
  source.write('sales/pr/prompt.md', agentFile('Writes pull requests'));
  source.write('support.md', agentFile('Supports'));
  source.write('README.md', '# Agents\n');
  const commit = source.commit('First');
  const log = new MemoryLog();
  const one = await replica(log, source);
  let named = 0;
  log.before = ({ facts }) => {
    for (const { case: kind, value } of facts)
      if (kind === 'repositorySynced')
        for (const { agentDigest } of value.files) {
          expect(log.streams.has(agentStream(agentDigest))).toBe(true);
          named += 1;
        }
  };
  expect(await one.sync()).toEqual({ kind: 'synced', commit, filesChanged: 2 });
  expect(named).toBe(2);
  expect(one.names()).toEqual(['sales/pr', 'support']);
  const agent = one.offered().agents.get('sales/pr');
  expect(agent).toMatchObject({ path: 'sales/pr/prompt.md', commit, description: 'Writes pull requests' });
  const [defined] = log.streams.get(agentStream(agent?.digest ?? '')) ?? [];
  if (defined?.fact.case !== 'agentDefined') throw new Error('the definition is not on the record');
  expect(agentFromDefinition(defined.fact.value.definitionJson)).toMatchObject({
    name: 'sales/pr',
    root: { prompt: 'Help.' },
  });

  const events = log.kinds('repository-').length;
  expect(await one.sync()).toEqual({ kind: 'unchanged', commit, filesChanged: 0 });
  expect(log.kinds('repository-')).toHaveLength(events);
});

test('a file that cannot be read keeps its name: a mistake brings back nothing that it has replaced', async () => {
  const source = new TestRepository();
  source.write('pay/prompt.md', agentFile('Pays'));
  source.write('pay/agent.md', agentFile('Paid once, without asking'));
  source.commit('First');
  const one = await replica(new MemoryLog(), source);
  await one.sync();
  expect(one.offered().agents.get('pay')).toMatchObject({ description: 'Pays' });
  source.write('pay/prompt.md', '---\nname: Pay\ndescription: [\n---\nHelp.\n');
  source.commit('Second');
  await one.sync();
  expect(one.names()).toEqual([]);
  expect(one.offered().errors).toEqual([expect.objectContaining({ path: 'pay/prompt.md' })]);
});

test('only what changed is read; removed files are gone, and one bad file harms no other', async () => {
  const source = new TestRepository();
  for (const name of ['kept', 'changed', 'removed']) source.write(`${name}/prompt.md`, agentFile(name));
  source.commit('First');
  const log = new MemoryLog();
  const one = await replica(log, source);
  await one.sync();
  const kept = one.offered().agents.get('kept');
  source.write('changed/prompt.md', agentFile('changed again'));
  source.write('bad/prompt.md', '---\nname: Bad\ndescription: [\n---\nHelp.\n');
  source.git('rm', '--quiet', 'removed/prompt.md');
  const second = source.commit('Second');
  expect(await one.sync()).toEqual({ kind: 'synced', commit: second, filesChanged: 3 });
  expect(one.names()).toEqual(['changed', 'kept']);
  expect(one.offered().agents.get('kept')).toEqual(kept);
  expect(one.offered().agents.get('changed')).toMatchObject({ description: 'changed again', commit: second });
  expect(one.offered().errors).toEqual([
    expect.objectContaining({
      path: 'bad/prompt.md',
      line: expect.any(Number),
      kind: 'frontmatter',
      at: expect.any(Number),
    }),
  ]);
  expect(one.offered().errors[0]?.line).toBeGreaterThan(1);
  source.write('bad/prompt.md', agentFile('good'));
  source.commit('Third');
  await one.sync();
  expect(one.offered().errors).toEqual([]);
  expect(one.names()).toEqual(['bad', 'changed', 'kept']);
});

test('links, submodules, large files and names that look alike are reported, and others are served', async () => {
  const source = new TestRepository();
  source.link('out/prompt.md', '/etc/passwd');
  source.link('folder', '..');
  source.write('large/prompt.md', agentFile('x'.repeat(3_000)));
  source.write('LARGE.md', 'x'.repeat(3_000));
  source.write('binary/prompt.md', Buffer.from([0x2d, 0xff, 0xfe]));
  source.write('support/prompt.md', agentFile('Latin'));
  source.write('suppоrt/prompt.md', agentFile('Cyrillic o'));
  source.write('Support.md', agentFile('Another case'));
  const commit = source.commit('First');
  source.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
  source.git('commit', '--quiet', '--message', 'With a submodule');
  const one = await replica(new MemoryLog(), source, { bounds: { fileBytesMax: 2_000 } });
  await one.sync();
  expect(one.names()).toEqual(['Support']);
  expect(one.offered().errors.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
    'size binary/prompt.md',
    'size large/prompt.md',
    'symlink out/prompt.md',
    'submodule sub',
    'name support/prompt.md',
    'name suppоrt/prompt.md',
  ]);
});

test('of several files of one name the first of the order is the agent, and the next one follows it', async () => {
  const source = new TestRepository();
  source.write('a.md', agentFile('third'));
  source.write('a/agent.md', agentFile('second'));
  source.write('a/prompt.md', agentFile('first'));
  source.commit('First');
  const one = await replica(new MemoryLog(), source);
  await one.sync();
  expect(one.offered()).toMatchObject({ errors: [] });
  expect(one.offered().agents.get('a')?.description).toBe('first');
  source.git('rm', '--quiet', 'a/prompt.md');
  source.commit('Second');
  await one.sync();
  expect(one.offered().agents.get('a')?.description).toBe('second');
});

test('a force-push that drops the synced commit, and a mirror that never had it, end at what the branch holds', async () => {
  const source = new TestRepository();
  source.write('a/prompt.md', agentFile('base'));
  const base = source.commit('Base');
  source.write('b/prompt.md', agentFile('dropped'));
  source.commit('Dropped');
  const log = new MemoryLog();
  const one = await replica(log, source);
  await one.sync();
  expect(one.names()).toEqual(['a', 'b']);
  source.git('reset', '--quiet', '--hard', base);
  source.write('c/prompt.md', agentFile('new'));
  source.commit('New');
  source.git('reflog', 'expire', '--expire=now', '--all');
  source.git('gc', '--quiet', '--prune=now');
  const other = await replica(log, source);
  expect(await other.sync()).toMatchObject({ kind: 'synced', filesChanged: 2 });
  expect(other.names()).toEqual(['a', 'c']);
  // What the other has recorded is found there, and nothing is left to do.
  expect(await one.sync()).toMatchObject({ kind: 'unchanged' });
  expect(one.names()).toEqual(['a', 'c']);
});

test('of two processes that sync the same commit one records it', async () => {
  const source = new TestRepository();
  source.write('a/prompt.md', agentFile('one'));
  const commit = source.commit('First');
  const log = new MemoryLog();
  const one = await replica(log, source);
  const other = await replica(log, source);
  let isFirst = true;
  log.before = ({ facts }) => {
    const synced = facts[0];
    if (!isFirst || synced?.case !== 'repositorySynced') return;
    isFirst = false;
    // The other one is quicker.
    log.append({
      stream: [...log.streams.keys()].find((name) => name.startsWith('repository-')) ?? '',
      expectedRevision: 1,
      facts: [synced],
      ...{
        actor: { kind: 'system', id: 'other' },
        correlationId: '',
        causationId: '',
        key: 'k',
        now: 1,
        eventIds: ['e'],
      },
    });
  };
  expect(await one.sync()).toEqual({ kind: 'unchanged', commit, filesChanged: 0 });
  expect(await other.sync()).toEqual({ kind: 'unchanged', commit, filesChanged: 0 });
  expect(log.kinds('repository-').filter((kind) => kind === 'repositorySynced')).toHaveLength(1);
  expect(one.names()).toEqual(['a']);
});

test('a failure is recorded once and agents stay; the next sync ends it', async () => {
  const source = new TestRepository();
  source.write('a/prompt.md', agentFile('one'));
  source.commit('First');
  const log = new MemoryLog();
  const one = await replica(log, source);
  await one.sync();
  source.git('branch', '--move', 'main', 'other');
  for (let times = 0; times < 3; times += 1) await expect(one.sync()).rejects.toMatchObject({ kind: 'no_branch' });
  expect(log.kinds('repository-')).toEqual(['repositoryAdded', 'repositorySynced', 'repositorySyncFailed']);
  expect(one.names()).toEqual(['a']);
  expect(one.record.state.failure).toMatchObject({
    kind: 'no_branch',
    message: 'there is no branch main; it has other',
  });
  source.git('branch', '--move', 'other', 'main');
  await one.sync();
  expect(one.record.state.failure).toBeUndefined();
});

test('another branch, another model and another namespace each read what they must', async () => {
  const source = new TestRepository();
  source.write('a/prompt.md', agentFile('one'));
  source.commit('First');
  source.git('branch', 'next');
  source.write('b/prompt.md', agentFile('two'));
  source.commit('Second');
  const log = new MemoryLog();
  const one = await replica(log, source);
  await one.sync();
  const digest = one.offered().agents.get('a')?.digest;
  const withModel = await replica(log, source, { model: 'another' });
  await withModel.sync();
  expect(withModel.offered().agents.get('a')?.digest).not.toBe(digest);
  const onNext = await replica(log, source, { branch: 'next' });
  await onNext.sync();
  expect(onNext.names()).toEqual(['a']);
  const named = await replica(log, source, { isRoot: false });
  expect(named.names()).toEqual([]);
  await named.sync();
  expect(named.names()).toEqual(['main/a', 'main/b']);
});

test('a sync that is told in several appends counts with the last, and one that was cut off is done again', async () => {
  const source = new TestRepository();
  const tags = `[${Array.from({ length: 20 }, (_, index) => `a-long-tag-that-takes-room-${index}`).join(', ')}]`;
  for (let index = 0; index < 700; index += 1)
    source.write(
      `agents/a-${index}/prompt.md`,
      agentFile('x'.repeat(200)).replace('---\nHelp', `tags: ${tags}\n---\nHelp`),
    );
  const commit = source.commit('First');
  const log = new MemoryLog();
  const one = await replica(log, source);
  let appends = 0;
  log.before = ({ facts }) => {
    if (facts[0]?.case !== 'repositorySynced') return;
    appends += 1;
    if (appends === 2) throw new Error('killed');
  };
  await expect(one.sync()).rejects.toThrow('killed');
  const restarted = await replica(log, source);
  expect(restarted.record.state.commit).toBe('');
  const known = restarted.names().length;
  expect(known).toBeGreaterThan(0);
  expect(await restarted.sync()).toEqual({ kind: 'synced', commit, filesChanged: 700 - known });
  expect(restarted.names()).toHaveLength(700);
});
