/** Two orchestrators over one store, of which each has seen only a part of what happened to a conversation. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@stopgo/log';
import { type ModelPort, startOrchestrator } from '@stopgo/orchestrator';
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
const shared = { clock: systemClock, newId: randomUUID, random: Math.random };
const waitMs = 10_000;

type Store = Client<typeof store.StoreService>;

/** Answers with the last word that it was told, once it may. */
function modelThat(mayAnswer: () => Promise<void>): ModelPort {
  return {
    takes: () => false,
    generate: async ({ messages }) => {
      await mayAnswer();
      const usage = { inputTokens: 1, outputTokens: 1 };
      const last = messages.at(-1);
      const text = last?.role === 'user' ? last.text : '';
      return {
        kind: 'answer',
        answer: { text, calls: [], provider: 'test', model: 'test', usage, stopReason: 'stop' },
      };
    },
  };
}

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

async function platform() {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-two-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const running = await startStore({ dataDir: folder, log: quiet, instancesComplete: false });
  undo.push(running.stop);
  const client = createInProcessClient(store.StoreService, running.service);
  await client.heartbeat({ instance: 'bridge', role: 'mcp-bridge', address: '', counter: 1n });
  const start = async (instance: string, model: ModelPort) => {
    const loads: string[] = [];
    const counted: Store = {
      ...client,
      load: (request, options) => {
        loads.push(request.by?.case ?? '');
        return client.load(request, options);
      },
    };
    const root = { type: 'llm', name: 'agent', model: 'test', prompt: '', outputKey: '' } as const;
    const agent = { name: 'agent', root: { ...root, canExitLoop: false, turnsMax: 5, approval: 'default' } } as const;
    const started = await startOrchestrator(
      { agent, systemPrompt: '', heartbeatTtlMs: 60_000, runsMax: 10 },
      {
        ...shared,
        instance,
        store: counted,
        connectBridge: () => ({ client: noTools, close: () => undefined }),
        models: { forModel: () => model },
        log: quiet,
      },
    );
    undo.push(started.stop);
    return { loads, client: createInProcessClient(orchestrator.OrchestratorService, started.service) };
  };
  return { start };
}

test('a message is judged by what the conversation is now, not by what was seen of it last', async () => {
  const { start } = await platform();
  let answer: () => void = () => undefined;
  const mayAnswer = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let ask: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const slow = await start(
    'slow',
    modelThat(() => {
      ask();
      return mayAnswer;
    }),
  );
  const other = await start(
    'other',
    modelThat(async () => undefined),
  );
  const conversationId = randomUUID();
  const say = (to: typeof slow, message: string) =>
    to.client.sendMessage({ conversationId, message, wait: { milliseconds: waitMs } });
  await slow.client.createConversation({ conversationId });

  // What one has seen last is current: nothing is loaded.
  const before = slow.loads.length;
  const first = say(slow, 'one');
  await asked;
  expect((await say(other, 'too early')).turn?.outcome).toBe(orchestrator.TurnOutcome.REFUSED_BUSY);
  answer();
  expect((await first).turn?.view?.head?.run?.response).toBe('one');
  expect(slow.loads.length).toBe(before);

  // The other one has seen last that a run is under way, and this one that nothing is: both are out of date.
  expect((await say(other, 'two')).turn?.view?.head?.run?.response).toBe('two');
  expect((await say(slow, 'three')).turn?.view?.head?.run?.response).toBe('three');
  expect((await say(other, 'four')).turn?.view?.head?.run?.response).toBe('four');
});
