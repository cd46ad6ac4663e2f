import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { approvalsService } from '@stopgo/approvals';
import { type AgentDefinition, DomainError } from '@stopgo/core';
import { bridgeRole, Heartbeat, storeBeat, systemClock } from '@stopgo/log';
import { startMcpBridge } from '@stopgo/mcp-bridge';
import { type ModelPort, startOrchestrator } from '@stopgo/orchestrator';
import { approvals, mcp, orchestrator, store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { createLogger, type McpServerConfig } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { readJournals, type ToolRun } from '../promises/journal.ts';
import { Tether } from './drop.ts';

const quiet = createLogger({ level: 'error', format: 'text', destination: { write: () => true } });
const shared = { clock: systemClock, newId: randomUUID, random: Math.random };
const ledger = fileURLToPath(new URL('../crash/fixtures/ledger.mjs', import.meta.url));
/** Runs that an orchestrator drives at once. */
const runsMax = 100;
/** Longest time for one call of the tool, in milliseconds. */
const callMs = 30_000;

export type PlatformOptions = {
  readonly agent: AgentDefinition;
  readonly model: ModelPort;
  /** Time to live of the heartbeats, in milliseconds. */
  readonly ttlMs: number;
};

/** An orchestrator that can be dropped. */
export type Running = {
  readonly instance: string;
  readonly tether: Tether;
  readonly client: Client<typeof orchestrator.OrchestratorService>;
  stop(): Promise<void>;
};

/**
 * The real store on the embedded log, the real bridge with a real tool server whose calls must not run twice and want to be
 * approved, the real approvals service, and as many orchestrators as are started: all in this process.
 */
export class Platform {
  readonly store: Client<typeof store.StoreService>;
  readonly approvals: Client<typeof approvals.ApprovalsService>;
  /** Whom the approvals service nudges; undefined: nobody is there. */
  nudged: Running | undefined;
  private readonly options: PlatformOptions;
  private readonly bridge: Client<typeof mcp.McpBridgeService>;
  private readonly journal: string;
  private readonly standing: Heartbeat;
  private readonly running = new Set<Running>();
  private readonly undo: (() => unknown)[];

  private constructor(
    options: PlatformOptions,
    parts: Pick<Platform, 'store'> & {
      readonly bridge: Client<typeof mcp.McpBridgeService>;
      readonly journal: string;
      readonly standing: Heartbeat;
      readonly undo: (() => unknown)[];
    },
  ) {
    this.options = options;
    this.store = parts.store;
    this.bridge = parts.bridge;
    this.journal = parts.journal;
    this.standing = parts.standing;
    this.undo = parts.undo;
    const service = approvalsService({
      ...shared,
      instance: `approvals-${randomUUID()}`,
      store: this.store,
      orchestrator: createInProcessClient(orchestrator.OrchestratorService, {
        createConversation: nobody,
        sendMessage: nobody,
        cancelRun: nobody,
        cancelStep: nobody,
        pauseRun: nobody,
        unpauseRun: nobody,
        provideInput: nobody,
        setPush: nobody,
        removePush: nobody,
        nudgeTask: nobody,
        listAgents: nobody,
        resumeRun: (request) => this.nudge(request),
      }),
    });
    this.approvals = createInProcessClient(approvals.ApprovalsService, service);
  }

  static async start(options: PlatformOptions): Promise<Platform> {
    const folder = mkdtempSync(join(tmpdir(), 'stopgo-matrix-'));
    const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
    const dataDir = join(folder, 'data');
    const runningStore = await startStore({ dataDir, log: quiet, instancesComplete: false });
    undo.push(runningStore.stop);
    const client = createInProcessClient(store.StoreService, runningStore.service);
    const { ttlMs } = options;
    const standing = new Heartbeat({
      beat: storeBeat(client, ttlMs),
      clock: systemClock,
      ttlMs,
      instance: `bridge-${randomUUID()}`,
      role: bridgeRole,
      renames: true,
    });
    await standing.renew();
    const beating = standing.run(() => undefined);
    undo.push(() => {
      standing.stop();
      return beating;
    });
    const journal = join(folder, 'journal');
    const bridge = await startMcpBridge({
      servers: [serverOf(journal)],
      standing,
      store: client,
      time: systemClock,
      newId: randomUUID,
      clientInfo: { name: 'matrix', version: '0' },
      log: quiet,
      secrets: [],
      environment: process.env,
      clock: systemClock.monotonic,
      random: Math.random,
    });
    undo.push(bridge.stop);
    const bridgeClient = createInProcessClient(mcp.McpBridgeService, bridge.service);
    return new Platform(options, { store: client, bridge: bridgeClient, journal, standing, undo });
  }

  /** Starts an orchestrator; it takes up at once what nobody drives. */
  async startOrchestrator(): Promise<Running> {
    const { agent, model, ttlMs } = this.options;
    const tether = new Tether();
    const instance = `orchestrator-${randomUUID()}`;
    const started = await startOrchestrator(
      { agent, systemPrompt: '', heartbeatTtlMs: ttlMs, runsMax },
      {
        ...shared,
        clock: tether.clock,
        instance,
        store: tether.store(this.store),
        connectBridge: () => ({ client: tether.bridge(this.bridge), close: () => undefined }),
        models: { forModel: () => tether.model(model) },
        log: quiet,
      },
    );
    const client = createInProcessClient(orchestrator.OrchestratorService, started.service);
    const running: Running = { instance, tether, client, stop: started.stop };
    this.running.add(running);
    return running;
  }

  /** Drops an orchestrator, unless it is dropped already. */
  drop(one: Running): void {
    one.tether.drop();
    this.running.delete(one);
    if (this.nudged === one) this.nudged = undefined;
  }

  /** Says that an orchestrator that was dropped is dead, as the lock on a data directory does of the processes before. */
  async declareDead({ instance }: Running): Promise<void> {
    await this.store.heartbeat({ instance, role: 'orchestrator', address: '', counter: 2n ** 40n, leaving: true });
    // The store forgets whom it has not heard of for longest, and here hundreds come and go before the bridge is heard of.
    await this.standing.renew();
  }

  toolRuns(): readonly ToolRun[] {
    return readJournals([this.journal]);
  }

  async stop(): Promise<void> {
    for (const one of this.running) await one.stop();
    for (const act of this.undo.reverse()) await act();
  }

  private async nudge(request: Parameters<Running['client']['resumeRun']>[0]) {
    const { nudged } = this;
    if (nudged === undefined) return nobody();
    // Whoever waits for a process that dies hears that the connection broke.
    return Promise.race([nudged.client.resumeRun(request), nudged.tether.dropped.then(nobody)]);
  }
}

function serverOf(journal: string): McpServerConfig {
  return {
    name: 'ledger',
    transport: { kind: 'stdio', command: process.execPath, args: [ledger, journal], env: {} },
    era: 'legacy',
    unannotated: 'run',
    approvalRequired: true,
    stateless: false,
    totalTimeoutMs: 600_000,
    callsAtOnce: 1,
    onStartFailure: 'fail',
    timeoutMs: callMs,
  };
}

function nobody(): Promise<never> {
  return Promise.reject(new DomainError('unavailable', 'nobody answers'));
}
