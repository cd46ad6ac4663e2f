import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startOfflineModel } from '@stopgo/offline-model';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { afterAll, beforeAll, expect, test } from 'vitest';

const program = fileURLToPath(new URL('./blob-process.ts', import.meta.url));
const log = createLogger({ level: 'error', format: 'text', destination: process.stderr });
let offline: Awaited<ReturnType<typeof startOfflineModel>>;
beforeAll(async () => {
  offline = await startOfflineModel({ host: '127.0.0.1', port: 0 });
});
afterAll(() => offline.stop());

/** A platform that dies at a place, with its address. */
async function start(dataDir: string, place: string): Promise<{ child: ChildProcess; url: string }> {
  const args = ['--import', 'tsx', '--conditions=stopgo-source', program, dataDir, offline.url, place];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const url of createInterface({ input: child.stdout })) return { child, url };
  throw new Error(`the platform did not start for ${place}`);
}

const gone = (child: ChildProcess) =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });

test.each(['put.before', 'put.after', 'append.before', 'append.after', 'get.before'])(
  'killed at %s of a blob: the run goes on, what an event names is there, and nothing else is left',
  async (place) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'stopgo-blob-kills-'));
    try {
      const first = await start(dataDir, place);
      const body = JSON.stringify({ message: 'call fresh {}' });
      await fetch(`${first.url}/conversations`, { method: 'POST', body }).catch(() => undefined);
      await gone(first.child);
      expect(first.child.signalCode).toBe('SIGKILL');
      const again = await start(dataDir, 'none');
      const shown = async () => {
        const { conversations } = (await (await fetch(`${again.url}/conversations`)).json()) as {
          conversations: { id: string; status: string }[];
        };
        const id = conversations[0]?.id;
        const whole = await fetch(`${again.url}/conversations/${id}`);
        return (await whole.json()) as { conversation: { messages: { role: string; content: string }[] } };
      };
      const answer = async () => (await shown()).conversation.messages.at(-1)?.content ?? '';
      await expect.poll(answer, { timeout: 30_000 }).toContain('I was shown image/png of 700000 bytes');
      again.child.kill('SIGTERM');
      await gone(again.child);
      // The sweep of a start: its end is waited for.
      await (await startStore({ dataDir, log })).stop();
      const running = await startStore({ dataDir, log });
      const client = createInProcessClient(store.StoreService, running.service);
      const { streams } = await client.listStreams({});
      const problems = await Promise.all(
        streams.map(async (stream) => (await client.verifyStream({ stream })).problems),
      );
      expect(problems.flat()).toEqual([]);
      expect(await client.verifyBlobs({})).toMatchObject({ blobs: 1, problems: [] });
      await running.stop();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
  120_000,
);
