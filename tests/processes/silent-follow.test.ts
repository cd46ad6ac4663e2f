/** A driver whose stream of news has fallen silent, over a real store. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@stopgo/log';
import { startOrchestrator } from '@stopgo/orchestrator';
import { mcp, orchestrator, store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { afterEach, expect, test } from 'vitest';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of undo.splice(0).reverse()) await act();
});

const quiet = createLogger({ level: 'error', format: 'text', destination: { write: () => true } });
const root = { type: 'llm', name: 'agent', model: 'test', prompt: '', outputKey: '' } as const;
const agent = { name: 'agent', root: { ...root, canExitLoop: false, turnsMax: 5, approval: 'default' } } as const;
const noTools: Client<typeof mcp.McpBridgeService> = createInProcessClient(mcp.McpBridgeService, {
  listTools: async () => ({ revision: 'none', instance: 'bridge', tools: [] }),
  execute: async () => ({}),
  fenceCall: async () => ({}),
  answerCall: async () => ({}),
  cancelCall: async () => ({}),
  listServers: async () => ({}),
  listHeldTools: async () => ({}),
  acceptTools: async () => ({}),
  defineTools: async () => ({}),
  learnAccepted: async () => ({}),
});

/** As a store that is there, answers everything, and tells no news. */
async function* silence(_request: unknown, options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<never> {
  const { signal } = options;
  if (signal !== undefined && !signal.aborted) await once(signal, 'abort');
  yield* [];
}

test('a cancel that was made elsewhere reaches a driver that hears nothing of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-silent-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const running = await startStore({ dataDir: folder, log: quiet, instancesComplete: false });
  undo.push(running.stop);
  const client = createInProcessClient(store.StoreService, running.service);
  await client.heartbeat({ instance: 'bridge', role: 'mcp-bridge', address: '', counter: 1n });
  let asked: (signal: AbortSignal) => void = () => undefined;
  const asking = new Promise<AbortSignal>((resolve) => {
    asked = resolve;
  });
  const generate = async (_request: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> => {
    asked(signal);
    await once(signal, 'abort');
    throw signal.reason;
  };
  const start = async (instance: string, toStore: typeof client) => {
    const started = await startOrchestrator(
      { agent, systemPrompt: '', heartbeatTtlMs: 500, runsMax: 10 },
      {
        clock: systemClock,
        newId: randomUUID,
        random: Math.random,
        instance,
        store: toStore,
        connectBridge: () => ({ client: noTools, close: () => undefined }),
        models: { forModel: () => ({ takes: () => false, generate }) },
        log: quiet,
      },
    );
    undo.push(started.stop);
    return createInProcessClient(orchestrator.OrchestratorService, started.service);
  };
  const deaf = await start('deaf', { ...client, follow: (request, options) => silence(request, options) });
  const other = await start('other', client);
  const conversationId = randomUUID();
  await deaf.createConversation({ conversationId, message: 'hello', wait: { milliseconds: 0 } });
  const signal = await asking;
  await other.cancelRun({ conversationId, reason: 'enough' });
  if (!signal.aborted) await once(signal, 'abort');
  expect(signal.aborted).toBe(true);
});
