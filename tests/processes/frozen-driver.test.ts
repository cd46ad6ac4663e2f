/**
 * A driver that is frozen right after its own append has started a call, for longer than anybody takes it for alive, and then
 * goes on as if nothing had been: it must not make the call. All parts are the real ones, each with a store of its own to
 * talk to, in one process so that the moment of the freeze is exact.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { approvalsService } from '@stopgo/approvals';
import { bridgeRole, Heartbeat, storeBeat, systemClock } from '@stopgo/log';
import { startMcpBridge } from '@stopgo/mcp-bridge';
import { type ModelPort, startOrchestrator } from '@stopgo/orchestrator';
import { approvals, facts, mcp, orchestrator, store, views } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { afterEach, expect, test } from 'vitest';
import { httpTools } from '../e2e/http-tools.ts';

/** Short, so that six of them are soon over. */
const ttlMs = 400;
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of undo.splice(0).reverse()) await act();
});

const quiet = createLogger({ level: 'error', format: 'text', destination: { write: () => true } });
const shared = { clock: systemClock, newId: randomUUID, random: Math.random };
const annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
const pay = { name: 'pay', description: 'Pays', inputSchema: { type: 'object', properties: {} }, annotations };

/** Asks for one payment, and is content with whatever comes of it. */
const model: ModelPort = {
  takes: () => false,
  generate: ({ messages }) => {
    const isDone = messages.some(({ role }) => role === 'tool');
    const calls = isDone ? [] : [{ providerCallId: '1', name: 'pay', argumentsJson: '{}' }];
    const usage = { inputTokens: 1, outputTokens: 1 };
    const answer = { text: isDone ? 'done' : '', calls, provider: 'test', model: 'test', usage, stopReason: 'stop' };
    return Promise.resolve({ kind: 'answer', answer });
  },
};

type Store = Client<typeof store.StoreService>;
type Bridge = Client<typeof mcp.McpBridgeService>;

async function platform() {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-frozen-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const running = await startStore({ dataDir: folder, log: quiet, instancesComplete: false });
  undo.push(running.stop);
  const client = createInProcessClient(store.StoreService, running.service);
  const tools = await httpTools({ tools: () => [pay] });
  undo.push(tools.stop);
  const server = {
    name: 'bank',
    transport: { kind: 'http', url: tools.url, auth: 'none' },
    era: 'legacy',
    unannotated: 'run',
    approvalRequired: false,
    stateless: false,
    totalTimeoutMs: 600_000,
    callsAtOnce: 1,
    onStartFailure: 'fail',
    timeoutMs: 10_000,
  } as const;
  /** The bridge that is at the one address. */
  let atAddress: Bridge | undefined;

  const startBridge = async (instance: string) => {
    const self = { instance, role: bridgeRole, address: 'bridge:1', renames: true };
    const heartbeat = new Heartbeat({ beat: storeBeat(client, ttlMs), clock: systemClock, ttlMs, ...self });
    const bridge = await startMcpBridge({
      servers: [server],
      standing: heartbeat,
      store: client,
      time: systemClock,
      newId: randomUUID,
      clientInfo: { name: 'agent', version: '1' },
      log: quiet,
      secrets: [],
      environment: {},
      clock: systemClock.monotonic,
      random: Math.random,
    });
    atAddress = createInProcessClient(mcp.McpBridgeService, bridge.service);
    await heartbeat.renew();
    const beating = heartbeat.run(() => undefined);
    const kill = async () => {
      heartbeat.stop();
      await beating;
      await bridge.stop();
    };
    undo.push(kill);
    return { kill };
  };

  const start = async (instance: string, to: Store) => {
    const executed: string[] = [];
    const connectBridge = () => {
      const at = (): Bridge => {
        if (atAddress === undefined) throw new Error('no bridge');
        return atAddress;
      };
      const bridge: Bridge = {
        listTools: (request, options) => at().listTools(request, options),
        fenceCall: (request, options) => at().fenceCall(request, options),
        answerCall: (request, options) => at().answerCall(request, options),
        cancelCall: (request, options) => at().cancelCall(request, options),
        listServers: (request, options) => at().listServers(request, options),
        listHeldTools: (request, options) => at().listHeldTools(request, options),
        acceptTools: (request, options) => at().acceptTools(request, options),
        defineTools: (request, options) => at().defineTools(request, options),
        learnAccepted: (request, options) => at().learnAccepted(request, options),
        execute: (request, options) => {
          executed.push(request.instance ?? '');
          return at().execute(request, options);
        },
      };
      return { client: bridge, close: () => undefined };
    };
    const root = { type: 'llm', name: 'agent', model: 'test', prompt: '', outputKey: '' } as const;
    const agent = { name: 'agent', root: { ...root, canExitLoop: false, turnsMax: 5, approval: 'default' } } as const;
    const started = await startOrchestrator(
      { agent, systemPrompt: '', heartbeatTtlMs: ttlMs, runsMax: 10 },
      { ...shared, instance, store: to, connectBridge, models: { forModel: () => model }, log: quiet },
    );
    return { ...started, executed, client: createInProcessClient(orchestrator.OrchestratorService, started.service) };
  };
  return { client, tools, startBridge, start };
}

/** A store that stops answering once it has recorded the start of a call, until it is thawed. */
function freezing(client: Store) {
  let thaw: () => void = () => undefined;
  let hasFrozen: () => void = () => undefined;
  const thawed = new Promise<void>((resolve) => {
    thaw = resolve;
  });
  const frozen = new Promise<void>((resolve) => {
    hasFrozen = resolve;
  });
  let isFrozen = false;
  const held = async <T>(answer: Promise<T>): Promise<T> => {
    const value = await answer;
    if (isFrozen) await thawed;
    return value;
  };
  const slow: Store = {
    ...client,
    heartbeat: async (request, options) => {
      if (isFrozen) await thawed;
      return held(client.heartbeat(request, options));
    },
    load: (request, options) => held(client.load(request, options)),
    readStream: (request, options) => held(client.readStream(request, options)),
    append: async (request, options) => {
      const answer = await client.append(request, options);
      const kinds = (request.events ?? []).map(
        ({ payload }) => fromBinary(facts.PayloadSchema, payload ?? new Uint8Array()).fact.case,
      );
      if (kinds.includes('toolCallStarted') && !isFrozen) {
        isFrozen = true;
        hasFrozen();
      }
      return held(Promise.resolve(answer));
    },
  };
  return { store: slow, frozen, thaw };
}

async function until(client: Store, conversationId: string, status: views.RunStatus) {
  for (;;) {
    const { view } = await client.getConversation({ conversationId });
    if (view?.head?.run?.status === status) return view;
    await systemClock.sleep(20);
  }
}

async function frozenAfterItsAppend() {
  const parts = await platform();
  const bridge = await parts.startBridge('first-bridge');
  const cold = freezing(parts.client);
  const frozen = await parts.start('frozen', cold.store);
  undo.push(cold.thaw);
  const conversationId = randomUUID();
  await frozen.client.createConversation({ conversationId, message: 'Pay.' });
  await cold.frozen;
  const other = await parts.start('other', parts.client);
  undo.push(() => other.stop());
  const frozenUntil = systemClock.monotonic() + 6 * ttlMs;
  const goOn = async () => {
    await systemClock.sleep(Math.max(0, frozenUntil - systemClock.monotonic()));
    cold.thaw();
    // Everything that it still had to do is done then.
    await frozen.stop();
  };
  return { ...parts, bridge, frozen, other, conversationId, goOn };
}

test('another driver finds that the call was never made, and makes it; the one that was frozen does not', async () => {
  const { tools, client, conversationId, frozen, goOn } = await frozenAfterItsAppend();
  await until(client, conversationId, views.RunStatus.COMPLETED);
  expect(tools.calls).toHaveLength(1);
  await goOn();
  expect(frozen.executed).toEqual([]);
  expect(tools.calls).toHaveLength(1);
});

test('nor does it when the bridge was restarted at its address and the call in doubt was decided meanwhile', async () => {
  const { tools, client, conversationId, frozen, other, goOn, bridge, startBridge } = await frozenAfterItsAppend();
  await bridge.kill();
  await startBridge('second-bridge');
  const { pendingApprovals } = await until(client, conversationId, views.RunStatus.WAITING);
  const approvalId = pendingApprovals[0]?.id ?? '';
  const decider = createInProcessClient(
    approvals.ApprovalsService,
    approvalsService({ ...shared, instance: 'approvals', store: client, orchestrator: other.client }),
  );
  await decider.resolve({ approvalId, kind: approvals.DecisionKind.HAPPENED, result: 'paid by hand' });
  await until(client, conversationId, views.RunStatus.COMPLETED);
  await goOn();
  expect([...frozen.executed, ...other.executed]).toEqual([]);
  expect(tools.calls).toEqual([]);
});
