import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOneProcess } from '@stopgo/cli';
import { startOfflineModel } from '@stopgo/offline-model';
import { createLogger, parseAgentConfig } from '@stopgo/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from './platform.ts';

const folder = mkdtempSync(join(tmpdir(), 'stopgo-blob-memory-'));
const dataDir = join(folder, 'data');
const stops: (() => Promise<void>)[] = [];
let url = '';

const megabyte = 1_000_000;
const results = 1_000;
/** Results after which everything that is kept in memory is as large as it gets. */
const settled = 200;
/** What the memory of the process may grow by while 800 MB pass through it, in bytes. */
const growthMax = 150 * megabyte;

beforeAll(async () => {
  const offline = await startOfflineModel({ host: '127.0.0.1', port: 0 });
  stops.push(() => offline.stop());
  const { config } = parseAgentConfig(
    `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(dataDir)}
prompt: You use tools.
heartbeat_ttl: 600s
mcp_servers:
  - name: media
    command: node
    args: [${JSON.stringify(join(root, 'tests/e2e/fixtures/media.mjs'))}]
`,
    'memory.yaml',
  );
  const platform = await startOneProcess({
    config,
    env: { ...process.env },
    logger: createLogger({ level: 'error', format: 'text', destination: process.stderr }),
    offlineModel: offline.url,
    version: 'test',
  });
  stops.push(() => platform.stop());
  url = platform.address;
});

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  rmSync(folder, { recursive: true, force: true });
});

async function send(path: string, index: number): Promise<string> {
  const message = `call picture ${JSON.stringify({ bytes: megabyte, mark: `picture ${index} ` })}`;
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { prefer: 'return=minimal' },
    body: JSON.stringify({ message }),
  });
  const body = (await response.json()) as { conversation: { id: string }; result: { response: string } };
  expect(body.result.response).toContain(`I was shown image/png of ${megabyte} bytes`);
  return body.conversation.id;
}

test('a thousand results of 1 MB do not grow the memory of the platform', async () => {
  const sizes: number[] = [];
  for (let index = 0; index < results; index += 1) {
    await send('/conversations', index);
    if (index >= settled) sizes.push(process.memoryUsage().rss);
  }
  expect(statSync(join(dataDir, 'stopgo.db')).size).toBeGreaterThan(0.9 * results * megabyte);
  const [first, last] = [sizes.slice(0, 50), sizes.slice(-50)].map((some) => Math.min(...some));
  expect((last ?? 0) - (first ?? 0)).toBeLessThan(growthMax);
}, 600_000);

test('of many results of one conversation a model is shown the latest, within its bounds', async () => {
  const id = await send('/conversations', 0);
  for (let index = 1; index < 15; index += 1) await send(`/conversations/${id}/messages`, index);
  // The request of 16 pictures would be 21 MB.
  await send(`/conversations/${id}/messages`, 15);
}, 120_000);
