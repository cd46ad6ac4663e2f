import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from '@stopgo/core';
import { systemClock } from '@stopgo/log';
import { expect, test } from 'vitest';
import { findAgentAt } from '../src/lookup.ts';
import { temporaryFolder } from './support/folder.ts';
import { keptRepositories } from './support/kept-repositories.ts';
import { MemoryLog } from './support/memory-log.ts';
import { TestRepository } from './support/repository.ts';

/** A replica of the registry has a mirror of its own, which lags behind what the others have put on the record. */
const { signal } = new AbortController();
const ana: Actor = { kind: 'user', id: 'ana@example.org' };
const agentFile = (description: string) => `---\nname: Agent\ndescription: ${description}\n---\nHelp.\n`;

/** Two replicas that have one repository, the second of which counts its fetches and has not seen the second commit. */
async function replicas() {
  const source = new TestRepository();
  source.write('support/prompt.md', agentFile('first'));
  source.write('gone/prompt.md', agentFile('to be removed'));
  source.commit('First');
  const folder = temporaryFolder();
  const [git, runs] = [join(folder, 'git'), join(folder, 'runs')];
  writeFileSync(runs, '');
  writeFileSync(git, `#!/bin/sh\ncase " $* " in *" fetch "*) echo fetch >> ${runs};; esac\nexec git "$@"\n`, {
    mode: 0o755,
  });
  const log = new MemoryLog();
  const ahead = await keptRepositories(log, source.folder);
  let time = 0;
  const behind = await keptRepositories(log, source.folder, { git, clock: { ...systemClock, monotonic: () => time } });
  const wanted = { name: 'team', gitUrl: source.folder, isRoot: false, syncIntervalMs: 3_600_000 };
  await (await ahead.repositories.add(wanted, ana, signal)).sync();
  await expect.poll(() => behind.find('team/support')).toBe('first');
  await behind.repositories.all()[0]?.sync();
  const second = async (): Promise<string> => {
    source.write('support/prompt.md', agentFile('second'));
    source.git('rm', '--quiet', '-r', 'gone');
    const commit = source.commit('Second');
    await ahead.repositories.all()[0]?.sync();
    await expect.poll(() => behind.find('team/support')).toBe('second');
    return commit;
  };
  const at = async (name: string, revision: string) => {
    const settings = { model: 'offline', turnsMax: 10 };
    const all = behind.repositories.all();
    return (await findAgentAt(all, name, revision, log.ports('registry-2'), settings, signal)).agent;
  };
  const fetches = () => readFileSync(runs, 'utf8').split('\n').length - 1;
  const pass = (ms: number) => {
    time += ms;
  };
  return { source, second, at, fetches, pass };
}

test('a branch is where the record says, also before the mirror of this replica has looked', async () => {
  const { second, at } = await replicas();
  const commit = await second();
  expect(await at('team/support', 'main')).toMatchObject({ description: 'second', commit });
});

test('an agent that the record has no more is not found in an older mirror', async () => {
  const { second, at } = await replicas();
  expect(await at('team/gone', 'main')).toMatchObject({ description: 'to be removed' });
  await second();
  await expect(at('team/gone', 'main')).rejects.toThrow('there is no agent team/gone at main');
});

test('with its host away, a branch that has moved on is not taken for what it was, and the host is left alone for a while', async () => {
  const { source, second, at, fetches, pass } = await replicas();
  const commit = await second();
  // Git finds no repository there: each try is a fetch that fails.
  renameSync(join(source.folder, '.git'), join(source.folder, 'away'));
  await expect(at('team/support', 'main')).rejects.toThrow('git');
  const tries = fetches();
  await expect(at('team/support', 'main')).rejects.toThrow('git');
  await expect(at('team/support', commit)).rejects.toThrow('git');
  expect(fetches()).toBe(tries);
  renameSync(join(source.folder, 'away'), join(source.folder, '.git'));
  pass(10_000);
  expect(await at('team/support', 'main')).toMatchObject({ description: 'second', commit });
});

test('a tag and a commit that are new are fetched; names that are nowhere are not asked for again and again', async () => {
  const { source, at, fetches, pass } = await replicas();
  source.git('tag', 'v1');
  expect(await at('team/support', 'v1')).toMatchObject({ description: 'first' });
  const before = fetches();
  await expect(at('team/support', 'v2')).rejects.toThrow('team has no v2');
  await expect(at('team/other', 'v3')).rejects.toThrow('team has no v3');
  expect(fetches()).toBe(before);
  pass(10_000);
  source.git('tag', 'v2');
  await expect(at('team/other', 'v2')).rejects.toThrow('team has no v2');
  expect(await at('team/support', 'v2')).toMatchObject({ description: 'first' });
  expect(fetches()).toBe(before + 1);
});

test('a folder taken as it lies there: its branch is where its latest commit is, also if that changed no agent', async () => {
  const source = new TestRepository();
  source.write('support/prompt.md', agentFile('first'));
  source.commit('First');
  const log = new MemoryLog();
  const { repositories } = await keptRepositories(log, source.folder, { configured: ['mine'], isWorkTree: true });
  const [mine] = repositories.all();
  await mine?.sync();
  const commit = source.commit('Second');
  await mine?.sync();
  expect(await mine?.commitOf('main', false, signal)).toBe(commit);
});
