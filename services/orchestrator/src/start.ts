import type { AgentDefinition } from '@stopgo/core';
import type { Clock } from '@stopgo/log';
import { Heartbeat, storeBeat, storeLog } from '@stopgo/log';
import type { mcp, store, orchestrator as wire } from '@stopgo/proto';
import type { Client, ServiceImpl } from '@stopgo/rpc';
import type { Logger } from '@stopgo/runtime';
import { BridgeTools } from './adapters/bridge-tools.ts';
import { stopGraceMs } from './bounds.ts';
import { RecordedDefinitions } from './definitions.ts';
import { storeDeltas } from './deltas.ts';
import type { DriverPorts } from './driver/ports.ts';
import { Registry } from './driver/registry.ts';
import { orchestratorService } from './server.ts';

/** What an orchestrator is given. */
export type OrchestratorDependencies = {
  /** Id of this process; never used twice. */
  readonly instance: string;
  readonly store: Client<typeof store.StoreService>;
  readonly bridge: Client<typeof mcp.McpBridgeService>;
  readonly models: DriverPorts['models'];
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: () => number;
  readonly log: Logger;
};

export type OrchestratorConfig = {
  readonly agent: AgentDefinition;
  /** Shown as the first message of a conversation; may be empty. */
  readonly systemPrompt: string;
  readonly heartbeatTtlMs: number;
  readonly runsMax: number;
};

export type Orchestrator = {
  readonly service: ServiceImpl<typeof wire.OrchestratorService>;
  /** Lets runs go on for a while, then stops driving. What is left is taken up by the next process. */
  stop(): Promise<void>;
};

/** Starts an orchestrator: its catalogue is loaded, its definitions are on the record, runs left behind are taken up. */
export async function startOrchestrator(
  config: OrchestratorConfig,
  given: OrchestratorDependencies,
): Promise<Orchestrator> {
  const { instance, clock, newId, random, log: logger } = given;
  const stopping = new AbortController();
  const log = storeLog(given.store);
  const tools = new BridgeTools(given.bridge);
  await tools.refresh();
  const heartbeat = new Heartbeat(storeBeat(given.store, instance, 'orchestrator', ''), clock, config.heartbeatTtlMs);
  const definitions = new RecordedDefinitions({ instance, log, clock, newId, random });
  const ports: DriverPorts = {
    instance,
    log,
    tools,
    models: given.models,
    liveness: heartbeat,
    clock,
    newId,
    random,
    deltas: storeDeltas(given.store, clock),
    onFault: (error, where) =>
      logger.error(`fault: ${where}`, {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  };
  const registry = new Registry(ports, definitions, config.runsMax);
  await heartbeat.renew();
  await definitions.record(config.agent, tools.catalogue(), stopping.signal);
  await registry.sweep();
  const beating = heartbeat.run(() => undefined);
  const tasks: readonly [name: string, work: () => Promise<void>][] = [
    ['the tool catalogue could not be refreshed', () => tools.refresh()],
    ['runs that nobody drives could not be looked for', () => registry.sweep()],
  ];
  const sweeping = tasks.map(([failure, work]) =>
    everyHalfTtl(config.heartbeatTtlMs, clock, stopping.signal, work, (error) =>
      logger.warn(`${failure}; it is tried again`, { error: error instanceof Error ? error.message : String(error) }),
    ),
  );
  const { agent, systemPrompt } = config;
  return {
    service: orchestratorService({ registry, definitions, agent, systemPrompt, signal: stopping.signal }),
    stop: async () => {
      await registry.stop(stopGraceMs);
      stopping.abort();
      heartbeat.stop();
      await Promise.all([beating, ...sweeping]);
    },
  };
}

/** Does something every half time to live. The first failure in a row is told; the next time tries again. */
async function everyHalfTtl(
  ttlMs: number,
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<void> {
  let isFailing = false;
  while (!signal.aborted) {
    await clock.sleep(ttlMs / 2, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await work();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
  }
}
