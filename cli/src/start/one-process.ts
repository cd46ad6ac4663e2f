import { randomUUID } from 'node:crypto';
import { unavailable } from '@stopgo/core';
import { Waits } from '@stopgo/log';
import type { Models } from '@stopgo/orchestrator';
import { approvals, mcp, memory, orchestrator, people, registry, store } from '@stopgo/proto';
import { type Client, createInProcessClient, type PeerName } from '@stopgo/rpc';
import { type NamedStop, type Started, stopAll } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { hasAccounts } from '../parts/accounts.ts';
import { approvalsPart, peoplePart } from '../parts/approvals.ts';
import { startBridgePart } from '../parts/bridge.ts';
import { bridgeHeartbeat } from '../parts/bridge-heartbeat.ts';
import { type GatewayMore, startGatewayPart } from '../parts/gateway.ts';
import type { LinkMaker } from '../parts/links.ts';
import { checkedModels } from '../parts/models.ts';
import { type OrchestratorMore, startOrchestratorPart } from '../parts/orchestrator.ts';
import { logInternalErrors, type PartOptions, unnamedOf } from '../parts/part.ts';
import { accountKeyOf, pushKeyOf } from '../parts/push-key.ts';
import { hasRegistry, startRegistryPart } from '../parts/registry.ts';
import { setUpFirstUser } from '../parts/setup-key.ts';
import { openStreamsOf } from '../parts/store.ts';

/** What the one process is started with. */
export type OneProcessOptions = PartOptions & {
  /** Base URL of the offline model, if every model call is to go there. */
  readonly offlineModel?: string;
  /** What no configuration says of the gateway. */
  readonly gateway?: GatewayMore;
  /** The same of the orchestrator. */
  readonly orchestrator?: OrchestratorMore;
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
  readonly registry?: (client: Client<typeof registry.RegistryService>) => Client<typeof registry.RegistryService>;
  readonly models?: (models: Pick<Models, 'forModel'>) => Pick<Models, 'forModel'>;
};

/** Made where accounts can be connected, and nowhere else. */
const accountKeyHere = ({ mcpServers, dataDir }: PartOptions['config']) =>
  hasAccounts(mcpServers) ? accountKeyOf(pushKeyOf(dataDir)) : undefined;

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
  const { config, logger, intercept = {} } = options;
  const { models, warm } = checkedModels(options);
  const inProcess = { onInternalError: logInternalErrors(logger), ...unnamedOf(config) };

  const runningStore = await startStore({
    dataDir: config.dataDir,
    log: logger,
    openStreamsMax: openStreamsOf(config),
  });
  parts.push({ name: 'store', stop: runningStore.stop });
  const storeFor = (caller: PeerName): Client<typeof store.StoreService> => {
    const direct = createInProcessClient(store.StoreService, runningStore.service, { ...inProcess, caller });
    return intercept.store?.(direct) ?? direct;
  };
  const storeOfBridge = storeFor('mcp-bridge');

  const waits = new Waits(Date.now);
  const heartbeat = bridgeHeartbeat(storeOfBridge, `bridge-${randomUUID()}`, config.heartbeatTtlMs, waits);
  const bridge = await startBridgePart(
    options,
    heartbeat,
    { client: storeOfBridge, isFar: false },
    waits,
    accountKeyHere(config),
  );
  parts.push({ name: 'mcp-bridge', stop: bridge.stop });
  const directBridge = createInProcessClient(mcp.McpBridgeService, bridge.service, inProcess);
  const bridgeClient = intercept.bridge?.(directBridge) ?? directBridge;
  await heartbeat.renew();
  const beating = heartbeat.run(() => undefined);
  parts.push({
    name: 'heartbeat',
    stop: () => {
      heartbeat.stop();
      return beating;
    },
  });

  const registryClient = hasRegistry(config) ? await startRegistryHere() : undefined;
  // The approvals service is started after those that it calls; what asks it for a link before is tried again.
  let linkMaker: LinkMaker | undefined;
  const running = await startOrchestratorPart(
    options,
    `orchestrator-${randomUUID()}`,
    {
      store: storeFor('orchestrator'),
      // There is one bridge, in this process: its heartbeat names no address.
      connectBridge: () => ({ client: bridgeClient, close: () => undefined }),
      models: intercept.models?.(models) ?? models,
      pushKey: () => pushKeyOf(config.dataDir),
      ...(registryClient === undefined ? {} : { registry: registryClient }),
      approvals: {
        makeLink: async (...given) => {
          if (linkMaker === undefined) throw unavailable('the approvals service is not started yet');
          return linkMaker.makeLink(...given);
        },
      },
    },
    options.orchestrator,
  );
  parts.push({ name: 'orchestrator', stop: running.stop });
  const directOrchestrator = createInProcessClient(orchestrator.OrchestratorService, running.service, inProcess);
  const orchestratorClient = intercept.orchestrator?.(directOrchestrator) ?? directOrchestrator;

  const directApprovals = createInProcessClient(
    approvals.ApprovalsService,
    approvalsPart(
      `approvals-${randomUUID()}`,
      { store: storeFor('approvals'), orchestrator: orchestratorClient },
      config,
    ),
    inProcess,
  );
  const approvalsClient = intercept.approvals?.(directApprovals) ?? directApprovals;
  linkMaker = approvalsClient;
  const peopleInstance = `people-${randomUUID()}`;
  const peopleClient = createInProcessClient(
    people.PeopleService,
    peoplePart(peopleInstance, storeFor('approvals')),
    inProcess,
  );
  await setUpFirstUser(config, storeFor('approvals'), peopleInstance, logger);
  await warm;

  const gateway = await startGatewayPart(
    options,
    {
      orchestrator: orchestratorClient,
      memories: createInProcessClient(memory.MemoryService, running.memories, inProcess),
      approvals: approvalsClient,
      store: storeFor('gateway'),
      bridge: bridgeClient,
      accounts: createInProcessClient(mcp.AccountsService, bridge.accounts, inProcess),
      people: peopleClient,
      ...(registryClient === undefined ? {} : { registry: registryClient }),
    },
    options.gateway,
  );
  parts.push({ name: 'gateway', stop: gateway.stop });
  return { address: gateway.address, stop: () => stopAll(parts) };

  async function startRegistryHere(): Promise<Client<typeof registry.RegistryService>> {
    const running = await startRegistryPart(
      options,
      `registry-${randomUUID()}`,
      storeFor('registry'),
      pushKeyOf(config.dataDir),
    );
    parts.push({ name: 'registry', stop: running.stop });
    const direct = createInProcessClient(registry.RegistryService, running.service, inProcess);
    return intercept.registry?.(direct) ?? direct;
  }
}
