import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchAgents } from '../src/agents/watch.ts';

/** A platform with one repository, which is a folder; it notes what it is asked to sync. */
async function platform(folder: string, refusal?: string, worktree = true) {
  const synced: string[] = [];
  const repository = {
    ...{ name: 'mine', git_url: `file://${folder}`, branch: 'next', worktree },
    last_sync_commit: `worktree-${'a'.repeat(40)}`,
  };
  const error = { file_path: 'bad/prompt.md', line: 3, column: null, message: 'it is no YAML' };
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    if (request.method === 'GET') return void response.end(JSON.stringify({ repositories: [repository] }));
    synced.push(request.url ?? '');
    if (refusal !== undefined && synced.length === 1)
      return void response.writeHead(409).end(JSON.stringify({ error: refusal }));
    response.end(JSON.stringify({ repository: { ...repository, agent_count: 2, sync_errors: [error] } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { synced, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stopgo-watch-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('each edit has the platform take up the folder, and what came of it is printed, also that it was refused', async () => {
  const folder = temporaryFolder();
  const { synced, url } = await platform(folder, 'it cannot be synced');
  const lines: string[] = [];
  const end = new AbortController();
  const watching = watchAgents(url, folder, (line) => lines.push(line), end.signal);
  await expect.poll(() => lines).toEqual(['it cannot be synced']);
  writeFileSync(join(folder, 'agent.md'), 'edited');
  await expect
    .poll(() => lines.slice(1, 3))
    .toEqual(['mine at worktree-aaaaaaaaaaaa: 2 agents, 1 problem', 'bad/prompt.md:3:1: it is no YAML']);
  expect(new Set(synced)).toEqual(new Set(['/repositories/mine/sync']));
  end.abort();
  await watching;
});

test('a folder that is none of the repositories is told what to do', async () => {
  const { url } = await platform(temporaryFolder());
  const watching = watchAgents(url, temporaryFolder(), () => undefined, new AbortController().signal);
  await expect(watching).rejects.toThrow('add it to agent_repositories with git_url, and worktree: true');
});

test('that only commits are taken up is said first, and what to do', async () => {
  const folder = temporaryFolder();
  const { url } = await platform(folder, undefined, false);
  const lines: string[] = [];
  const end = new AbortController();
  const watching = watchAgents(url, folder, (line) => lines.push(line), end.signal);
  await expect.poll(() => lines.length).toBeGreaterThan(1);
  end.abort();
  await watching;
  expect(lines[0]).toMatch(
    /^note: edits of mine are taken up once they are committed to next; .* set worktree: true /u,
  );
});
