import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { isOfWorkTree, WorkTree } from '../src/git/work-tree.ts';
import { offeredBy } from '../src/offered.ts';
import { RepositoryRecord } from '../src/sync/repository-record.ts';
import { syncRepository } from '../src/sync/sync-repository.ts';
import { temporaryFolder } from './support/folder.ts';
import { MemoryLog } from './support/memory-log.ts';

const { signal } = new AbortController();
const agentFile = (description: string) => `---\nname: Agent\ndescription: ${description}\n---\nHelp.\n`;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};

async function kept() {
  const log = new MemoryLog();
  const definitions = log.ports('registry-1');
  const record = new RepositoryRecord(definitions, 'mine');
  await record.declare('mine', { gitUrl: folder, branch: 'main', isRoot: true }, signal);
  const ports = {
    ...{ definitions, record, mirror: new WorkTree(), surroundings: { model: 'offline' } },
    remote: () => ({ url: folder, protocol: 'file' }) as const,
    credentials: () => ({ type: 'none' }) as const,
  };
  const agents = () =>
    Object.fromEntries([...offeredBy(record.state).agents].map(([name, { description }]) => [name, description]));
  return { record, agents, errors: () => offeredBy(record.state).errors, sync: () => syncRepository(ports, signal) };
}

test('files are taken as they lie in the folder, and each state is marked as none of a commit', async () => {
  write('support/prompt.md', agentFile('as it lies there'));
  write('.claude/agents/reviewer.md', '---\nname: reviewer\ndescription: Reviews\n---\nReview.');
  write('.git/hooks/prompt.md', agentFile('of git'));
  write('node_modules/x/prompt.md', agentFile('of somebody else'));
  write('README.md', '# Agents\n');
  const { sync, agents, record } = await kept();
  expect(await sync()).toMatchObject({ kind: 'synced', filesChanged: 2 });
  expect(agents()).toEqual({ reviewer: 'Reviews', support: 'as it lies there' });
  const first = record.state.commit;
  expect(first).toMatch(/^worktree-[0-9a-f]{40}$/u);
  expect([isOfWorkTree(first), isOfWorkTree('0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c')]).toEqual([true, false]);
  expect(await sync()).toMatchObject({ kind: 'unchanged', commit: first });

  write('support/prompt.md', agentFile('as it is edited'));
  expect(await sync()).toMatchObject({ kind: 'synced', filesChanged: 1 });
  rmSync(join(folder, '.claude'), { recursive: true });
  expect(await sync()).toMatchObject({ kind: 'synced', filesChanged: 1 });
  expect(agents()).toEqual({ support: 'as it is edited' });
  write('support/prompt.md', agentFile('as it lies there'));
  write('.claude/agents/reviewer.md', '---\nname: reviewer\ndescription: Reviews\n---\nReview.');
  await sync();
  expect(record.state.commit).toBe(first);
});

test('links are reported and not followed, large files are not read, and one that cannot be read harms no other', async () => {
  write('outside.txt', agentFile('behind a link'));
  write('support/prompt.md', agentFile('Supports'));
  mkdirSync(join(folder, 'linked'));
  symlinkSync(join(folder, 'outside.txt'), join(folder, 'linked/prompt.md'));
  symlinkSync(folder, join(folder, 'again'));
  write('large/prompt.md', agentFile('x'.repeat(300_000)));
  write('broken/prompt.md', '---\ndescription: [\n---\nHelp.');
  const { sync, agents, errors } = await kept();
  await sync();
  expect(agents()).toEqual({ support: 'Supports' });
  expect(errors().map(({ path, kind }) => `${kind} ${path}`)).toEqual([
    'frontmatter broken/prompt.md',
    'size large/prompt.md',
    'symlink linked/prompt.md',
  ]);
});

test('a folder is needed, and one that is too deep is refused', async () => {
  const far = new WorkTree().fetch({ url: 'https://h.example/a', protocol: 'https' }, { type: 'none' }, signal);
  await expect(far).rejects.toThrow('worktree goes with a folder of this machine only');
  write(`${'a/'.repeat(70)}prompt.md`, agentFile('deep'));
  const { sync } = await kept();
  await expect(sync()).rejects.toThrow('is more than 64 folders deep');
});
