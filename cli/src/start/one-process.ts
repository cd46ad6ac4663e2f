import { randomUUID } from 'node:crypto';
import { approvalsService } from '@stopgo/approvals';
import { startGateway } from '@stopgo/gateway';
import { Heartbeat, storeBeat, systemClock } from '@stopgo/log';
import { startMcpBridge } from '@stopgo/mcp-bridge';
import { createModels, type Models, startOrchestrator } from '@stopgo/orchestrator';
import { approvals, mcp, orchestrator, store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { type AgentConfig, type Logger, type NamedStop, type Started, stopAll } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { agentDefinition, modelsOf, systemPromptOf } from './agent-definition.ts';

/** What the one process is started with. */
export type OneProcessOptions = {
  readonly config: AgentConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Base URL of the offline model, if every model call is to go there. */
  readonly offlineModel?: string;
  readonly version: string;
  /** Stands between the services, for tests that break what they say to each other. */
  readonly intercept?: Intercept;
};

/** Puts something between a service and those that call it. */
export type Intercept = {
  readonly store?: (client: Client<typeof store.StoreService>) => Client<typeof store.StoreService>;
  readonly bridge?: (client: Client<typeof mcp.McpBridgeService>) => Client<typeof mcp.McpBridgeService>;
  readonly orchestrator?: (
    client: Client<typeof orchestrator.OrchestratorService>,
  ) => Client<typeof orchestrator.OrchestratorService>;
  readonly approvals?: (client: Client<typeof approvals.ApprovalsService>) => Client<typeof approvals.ApprovalsService>;
  readonly models?: (models: Pick<Models, 'forModel'>) => Pick<Models, 'forModel'>;
};

/** Streams that are open for a moment only: waits for runs that another process drives. */
const spareStreams = 1_000;

/**
 * Starts every service in this process, bound to each other directly, over the embedded log. All or nothing: what was
 * started before a failure is stopped again.
 */
export async function startOneProcess(options: OneProcessOptions): Promise<Started> {
  const parts: NamedStop[] = [];
  try {
    return await startParts(options, parts);
  } catch (error) {
    await stopAll(parts).catch((problem: unknown) => options.logger.warn(String(problem)));
    throw error;
  }
}

async function startParts(options: OneProcessOptions, parts: NamedStop[]): Promise<Started> {
  const { config, env, logger, version, offlineModel, intercept = {} } = options;
  const definition = agentDefinition(config);
  const models = createModels({
    env,
    modelTimeoutMs: config.llm.timeoutMs,
    ...(offlineModel === undefined ? {} : { offlineModel }),
  });
  const problems = models.check(modelsOf(definition));
  if (problems.length > 0)
    throw new Error(problems.map((problem) => `failed to initialize LLM client: ${problem}`).join('\n'));
  const warm = models.warmUp(modelsOf(definition)).catch(() => undefined);

  const onInternalError = (error: unknown, id: string, method: string): void =>
    logger.error(`internal error ${id} in ${method}`, {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  const inProcess = { onInternalError };

  const runningStore = await startStore({
    dataDir: config.dataDir,
    log: logger,
    openStreamsMax: openStreamsOf(config),
  });
  parts.push({ name: 'store', stop: runningStore.stop });
  const directStore = createInProcessClient(store.StoreService, runningStore.service, inProcess);
  const storeClient = intercept.store?.(directStore) ?? directStore;

  const bridgeInstance = `bridge-${randomUUID()}`;
  const bridge = await startMcpBridge({
    servers: config.mcpServers,
    instance: bridgeInstance,
    clientInfo: { name: config.name, version },
    log: logger,
    environment: env,
    clock: systemClock.monotonic,
    random: Math.random,
  });
  parts.push({ name: 'mcp-bridge', stop: bridge.stop });
  const directBridge = createInProcessClient(mcp.McpBridgeService, bridge.service, inProcess);
  const bridgeClient = intercept.bridge?.(directBridge) ?? directBridge;
  const heartbeat = new Heartbeat(
    storeBeat(storeClient, bridgeInstance, 'mcp-bridge', ''),
    systemClock,
    config.heartbeatTtlMs,
  );
  await heartbeat.renew();
  const beating = heartbeat.run(() => undefined);
  parts.push({
    name: 'heartbeat',
    stop: () => {
      heartbeat.stop();
      return beating;
    },
  });

  const shared = { clock: systemClock, newId: randomUUID, random: Math.random };
  const running = await startOrchestrator(
    {
      agent: definition,
      systemPrompt: systemPromptOf(config),
      heartbeatTtlMs: config.heartbeatTtlMs,
      runsMax: config.limits.concurrentRuns,
    },
    {
      ...shared,
      instance: `orchestrator-${randomUUID()}`,
      store: storeClient,
      bridge: bridgeClient,
      models: intercept.models?.(models) ?? models,
      log: logger,
    },
  );
  parts.push({ name: 'orchestrator', stop: running.stop });
  const directOrchestrator = createInProcessClient(orchestrator.OrchestratorService, running.service, inProcess);

  const orchestratorClient = intercept.orchestrator?.(directOrchestrator) ?? directOrchestrator;

  const directApprovals = createInProcessClient(
    approvals.ApprovalsService,
    approvalsService({
      ...shared,
      instance: `approvals-${randomUUID()}`,
      store: storeClient,
      orchestrator: orchestratorClient,
    }),
    inProcess,
  );
  const approvalsClient = intercept.approvals?.(directApprovals) ?? directApprovals;
  await warm;

  const gateway = await startGateway({
    host: config.host,
    port: config.port,
    clients: { orchestrator: orchestratorClient, approvals: approvalsClient, store: storeClient, bridge: bridgeClient },
    log: logger,
    syncWaitMs: config.syncWaitMs,
    allowedOrigins: config.allowedOrigins,
    allowedHosts: config.allowedHosts,
    limits: config.limits,
    agentName: config.name,
    now: () => performance.now(),
    newId: randomUUID,
    newSessionId: () => randomUUID().slice(0, 8),
    onWarning: (text) => logger.warn(text),
  });
  parts.push({ name: 'gateway', stop: gateway.stop });
  return { address: gateway.address, stop: () => stopAll(parts) };
}

/** Streams of the store: each event stream of a client takes two, each run may follow its own. */
function openStreamsOf({ limits }: AgentConfig): number {
  return 2 * limits.openStreams + limits.concurrentRuns + spareStreams;
}
