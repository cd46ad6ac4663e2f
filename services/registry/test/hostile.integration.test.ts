import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Actor } from '@stopgo/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findAgentAt } from '../src/lookup.ts';
import { temporaryFolder } from './support/folder.ts';
import { keptRepositories } from './support/kept-repositories.ts';
import { MemoryLog } from './support/memory-log.ts';

/**
 * Repositories that mean harm, beside one that does not: each is refused or reported, nothing of it is run, memory stays bounded, and the
 * other one is served.
 */
const longMs = 180_000;
const { signal } = new AbortController();
const mallory: Actor = { kind: 'user', id: 'mallory' };
const mebibyte = 1_048_576;
/** Bytes of address space that each run of git may have, which it has to do with whatever a repository holds. */
const gitKibibytesMax = 700 * 1_024;
/** Bytes by which this process may grow meanwhile. */
const growthMax = 320 * mebibyte;

const agentFile = (description: string) => `---\nname: Agent\ndescription: ${description}\n---\nHelp.\n`;

type World = Awaited<ReturnType<typeof world>>;
let all: World;
let highest: number;
let watching: NodeJS.Timeout;

async function world() {
  const folder = temporaryFolder();
  const limited = join(folder, 'limited-git');
  writeFileSync(limited, `#!/bin/sh\nulimit -v ${gitKibibytesMax} && exec git "$@"\n`, { mode: 0o755 });
  const git = (name: string, args: readonly string[], input: string | Uint8Array = ''): string =>
    execFileSync('git', ['-c', 'user.name=M', '-c', 'user.email=m@example.org', ...args], {
      ...{
        cwd: join(folder, name),
        input,
        encoding: 'utf8',
        maxBuffer: 64 * mebibyte,
        stdio: ['pipe', 'pipe', 'ignore'],
      },
      env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    }).trim();
  const make = (name: string) => {
    mkdirSync(join(folder, name));
    git(name, ['init', '--quiet', '--initial-branch=main']);
  };
  const commit = (name: string, files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name, path)), { recursive: true });
      writeFileSync(join(folder, name, path), text);
    }
    git(name, ['add', '--all']);
    git(name, ['commit', '--quiet', '--message', 'Change']);
    return git(name, ['rev-parse', 'HEAD']);
  };
  make('sound');
  commit('sound', { 'helper/prompt.md': agentFile('of the sound one') });
  const log = new MemoryLog();
  const kept = await keptRepositories(log, folder, { git: limited });
  const keep = (name: string) =>
    kept.repositories.add(
      { name, gitUrl: join(folder, name), isRoot: false, syncIntervalMs: 3_600_000 },
      ...([mallory, signal] as const),
    );
  const sound = await keep('sound');
  make('evil');
  const repositories = () => kept.repositories.all();
  return { folder, git, commit, keep, sound, log, find: kept.find, repositories };
}

beforeEach(async () => {
  all = await world();
  const before = process.memoryUsage().rss;
  highest = 0;
  watching = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss - before);
  }, 20);
});

afterEach(async () => {
  clearInterval(watching);
  await all.sound.sync();
  expect(all.find('sound/helper')).toBe('of the sound one');
  expect(highest).toBeLessThan(growthMax);
});

/** What `git fast-import` is told, as it takes it. */
async function fastImport(name: string, pieces: Iterable<string | Uint8Array>): Promise<void> {
  const child = spawn('git', ['fast-import', '--quiet', '--force'], {
    ...{ cwd: join(all.folder, name), stdio: ['pipe', 'ignore', 'ignore'] },
  });
  for (const piece of pieces) if (!child.stdin.write(piece)) await once(child.stdin, 'drain');
  child.stdin.end();
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
}

const committer = (files: readonly string[]) =>
  `commit refs/heads/main\ncommitter M <m@example.org> 1700000000 +0000\ndata 1\nM\n${files.join('')}\n`;

test('a file of a gibibyte is an error of its own, and never held', { timeout: longMs }, async () => {
  const zeros = new Uint8Array(mebibyte);
  const small = agentFile('small');
  await fastImport('evil', [
    `blob\nmark :1\ndata ${1_024 * mebibyte}\n`,
    ...Array.from({ length: 1_024 }, () => zeros),
    `\nblob\nmark :2\ndata ${small.length}\n${small}\n`,
    committer(['M 100644 :1 huge/prompt.md\n', 'M 100644 :2 small/prompt.md\n']),
  ]);
  const evil = await all.keep('evil');
  await evil.sync();
  expect([...evil.offered().agents.keys()]).toEqual(['evil/small']);
  expect(evil.offered().errors).toEqual([expect.objectContaining({ path: 'huge/prompt.md', kind: 'size' })]);
});

test('100,000 agents are refused in one line, 100,000 other files are nothing', { timeout: longMs }, async () => {
  const small = agentFile('one of many');
  const files = (name: (index: number) => string) =>
    Array.from({ length: 100_000 }, (_, index) => `M 100644 :1 ${name(index)}\n`);
  const blob = `blob\nmark :1\ndata ${small.length}\n${small}\n`;
  await fastImport('evil', [blob, committer(files((index) => `a${index % 300}/b${index}/prompt.md`))]);
  const evil = await all.keep('evil');
  await expect(evil.sync()).rejects.toThrow('the repository has more than 10000 agent files; part it');
  await fastImport('evil', [
    blob,
    committer(['M 100644 :1 one/prompt.md\n', ...files((index) => `a${index % 300}/b${index}.txt`)]),
  ]);
  await evil.sync();
  expect([...evil.offered().agents.keys()]).toEqual(['evil/one']);
  expect(evil.record.state.failure).toBeUndefined();
});

test('a force-push that drops the pinned commit takes the agent along, and its commit stays readable', async () => {
  const pinned = all.commit('evil', { 'agent/prompt.md': agentFile('as pinned') });
  const evil = await all.keep('evil');
  await evil.sync();
  all.git('evil', ['checkout', '--quiet', '--orphan', 'other']);
  all.commit('evil', { 'agent/prompt.md': agentFile('as pushed') });
  all.git('evil', ['branch', '--force', 'main', 'other']);
  all.git('evil', ['reflog', 'expire', '--expire=now', '--all']);
  all.git('evil', ['gc', '--quiet', '--prune=now']);
  await evil.sync();
  expect(all.find('evil/agent')).toBe('as pushed');
  const settings = { model: 'offline', turnsMax: 10 };
  const found = await findAgentAt(all.repositories(), 'evil/agent', pinned, all.log.ports('r'), settings, signal);
  expect(found.agent.description).toBe('as pinned');
});

test('frontmatter that runs or grows, and names that look alike, are errors of their files', async () => {
  const grown = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...'bcdefghi'.split('').map((name, index) => {
      const before = 'abcdefgh'[index];
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`;
    }),
  ].join('\n');
  all.commit('evil', {
    'bomb/prompt.md': `---\nname: n\ndescription: d\n${grown}\n---\nHelp.\n`,
    'deep/prompt.md': `---\ndescription: ${'['.repeat(20_000)}\n---\nHelp.\n`,
    'runs/prompt.md': '---js\nglobalThis.wasRun = process.exit(3)\n---\nHelp.\n',
    'tags/prompt.md': '---\ndescription: !!js/function "function () { process.exit(3) }"\n---\nHelp.\n',
    'admin/prompt.md': agentFile('the real one'),
    'аdmin/prompt.md': agentFile('with a Cyrillic letter'),
    'Admin/prompt.md': agentFile('of another case'),
  });
  const evil = await all.keep('evil');
  await evil.sync();
  const { agents, errors } = evil.offered();
  // Of those that look alike the first path stays; a tag of YAML that is not known has no effect.
  expect([...agents.keys()].sort()).toEqual(['evil/Admin', 'evil/tags']);
  expect(agents.get('evil/tags')?.description).toContain('process.exit(3)');
  expect(errors.map(({ path }) => path.split('/')[0]).sort()).toEqual(expect.arrayContaining(['bomb', 'deep', 'runs']));
  expect(errors.filter(({ message }) => message.includes('looks like'))).toHaveLength(2);
  expect('wasRun' in globalThis).toBe(false);
});

test('a tree that climbs out is not taken at all', async () => {
  const content = all.git('evil', ['hash-object', '-w', '--stdin'], agentFile('climbed'));
  const entry = (mode: string, name: string, object: string) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(object, 'hex')]);
  const write = (bytes: Buffer) =>
    all.git('evil', ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], bytes);
  const inner = write(entry('100644', 'prompt.md', content));
  for (const name of ['..', '.git', '.GIT', 'git~1']) {
    const root = write(entry('40000', name, inner));
    all.git('evil', ['update-ref', 'refs/heads/main', all.git('evil', ['commit-tree', root, '-m', 'Climb'])]);
    const evil = all.repositories().find(({ options }) => options.name === 'evil') ?? (await all.keep('evil'));
    await expect(evil.sync(), name).rejects.toMatchObject({ kind: 'damaged' });
    expect([...evil.offered().agents.keys()], name).toEqual([]);
  }
});
