import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOneProcess } from '@stopgo/cli';
import { startOfflineModel } from '@stopgo/offline-model';
import { createLogger, parseAgentConfig } from '@stopgo/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** Calls of a turn whose orchestrator has seen the conversation before. */
const callsMax = 12;

/** What the services asked each other for, by service and method. */
const asked: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'stopgo-cost-'));
let url = '';
const stops: (() => Promise<void>)[] = [];

/** A client that writes down which of its methods are called. */
function counted<T extends object>(service: string, client: T): T {
  return new Proxy(client, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        // Heartbeats and follows are apart: they do not grow with the turns.
        if (!['heartbeat', 'follow', 'listOpenRuns', 'listTools'].includes(String(name)))
          asked.push(`${service}.${String(name)}`);
        return Reflect.apply(method, target, args);
      };
    },
  });
}

beforeAll(async () => {
  const offline = await startOfflineModel({ host: '127.0.0.1', port: 0 });
  stops.push(() => offline.stop());
  const { config } = parseAgentConfig(
    `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(join(folder, 'data'))}
prompt: You look after resources.
heartbeat_ttl: 600s
mcp_servers:
  - name: resources
    command: node
    args: [mcp-servers/resources/dist/main.js, --db, ${JSON.stringify(join(folder, 'resources.db'))}]
`,
    'cost.yaml',
  );
  const platform = await startOneProcess({
    config,
    env: { ...process.env },
    logger: createLogger({ level: 'error', format: 'text', destination: process.stderr }),
    offlineModel: offline.url,
    version: 'test',
    intercept: {
      store: (client) => counted('store', client),
      bridge: (client) => counted('bridge', client),
      orchestrator: (client) => counted('orchestrator', client),
      approvals: (client) => counted('approvals', client),
    },
  });
  stops.push(() => platform.stop());
  url = platform.address;
});

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  rmSync(folder, { recursive: true, force: true });
});

async function post(path: string, body: object): Promise<{ status: number; body: Record<string, never> }> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { prefer: 'return=minimal' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, never> };
}

/** One turn that stops and goes on; what it made the services ask. */
async function turn(path: string): Promise<{ readonly asked: readonly string[]; readonly conversation: string }> {
  asked.length = 0;
  const waiting = await post(path, { message: 'create a server my-test with value 42' });
  const { result, conversation } = waiting.body as unknown as {
    result: { waiting_approval: boolean; approval: { uuid: string } };
    conversation: { id: string };
  };
  expect(result.waiting_approval).toBe(true);
  const done = await post(`/approvals/${result.approval.uuid}`, { answer: 'yes' });
  expect(done.status).toBe(200);
  return { asked: [...asked], conversation: conversation.id };
}

test('a turn that stops and goes on takes six appends, at most twelve calls, and folds no stream', async () => {
  const created = (await post('/conversations', {})).body as unknown as { conversation: { id: string } };
  for (const kind of ['the first', 'the second']) {
    const { asked: calls } = await turn(`/conversations/${created.conversation.id}/messages`);
    const appends = calls.filter((call) => call === 'store.append').length;
    const reads = calls.filter((call) => call === 'store.readStream').length;
    expect({ kind, appends, reads }).toEqual({ kind, appends: 6, reads: 0 });
    expect(calls.length, calls.join(' ')).toBeLessThanOrEqual(callsMax);
  }
});

test('a conversation that is created by its first message takes no more', async () => {
  const { asked: calls } = await turn('/conversations');
  expect(calls.filter((call) => call === 'store.append')).toHaveLength(6);
  expect(calls.length, calls.join(' ')).toBeLessThanOrEqual(callsMax);
});
