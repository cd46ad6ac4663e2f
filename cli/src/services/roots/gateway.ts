import type { AlarmSource } from '@stopgo/gateway';
import { approvals, health, mcp, memory, orchestrator, people, registry, store } from '@stopgo/proto';
import { createGrpcClient } from '@stopgo/rpc';
import type { Started } from '@stopgo/runtime';
import { ownAlarms } from '../../parts/alarms.ts';
import { startGatewayPart } from '../../parts/gateway.ts';
import { hasRegistry } from '../../parts/registry.ts';
import { callsGraceMs } from '../bounds.ts';
import { callersOf } from '../names.ts';
import type { ServiceProcess } from '../service-process.ts';
import { EveryReplica } from './every-replica.ts';

/**
 * One gateway. It listens at once and answers 503 for what is not there yet; it counts as ready when the store is. Over gRPC
 * it answers health checks only, where it is told to listen.
 */
export async function startGatewayService(process: ServiceProcess): Promise<Started> {
  const { config, environment, instance, alarms } = process.options;
  const toStore = process.connect('store');
  const toBridges = process.connect('mcp-bridge');
  const toOrchestrators = process.connect('orchestrator');
  const toApprovals = process.connect('approvals');
  const toRegistry =
    environment.addresses.registry === undefined || !hasRegistry(config) ? undefined : process.connect('registry');
  const every = new Map<string, EveryReplica>();
  for (const [name, channel] of Object.entries({
    store: toStore,
    'mcp-bridge': toBridges,
    orchestrator: toOrchestrators,
    approvals: toApprovals,
    ...(toRegistry === undefined ? {} : { registry: toRegistry }),
  })) {
    const replicas = new EveryReplica(channel, environment.internalToken);
    every.set(name, replicas);
    process.add(`channels to each ${name}`, async () => replicas.close());
  }
  const bridges = async () =>
    ((await every.get('mcp-bridge')?.all()) ?? []).map((channel) => ({
      address: channel.address,
      client: createGrpcClient(mcp.McpBridgeService, channel),
    }));
  const clients = {
    store: createGrpcClient(store.StoreService, toStore),
    bridge: createGrpcClient(mcp.McpBridgeService, toBridges),
    accounts: createGrpcClient(mcp.AccountsService, toBridges),
    orchestrator: createGrpcClient(orchestrator.OrchestratorService, toOrchestrators),
    memories: createGrpcClient(memory.MemoryService, toOrchestrators),
    approvals: createGrpcClient(approvals.ApprovalsService, toApprovals),
    people: createGrpcClient(people.PeopleService, toApprovals),
    ...(toRegistry === undefined ? {} : { registry: createGrpcClient(registry.RegistryService, toRegistry) }),
  };
  const port = environment.httpPort ?? config.port;
  const a2aGrpcPort = environment.a2aGrpcPort ?? config.a2aGrpcPort;
  const ports = { port, ...(a2aGrpcPort === undefined ? {} : { a2aGrpcPort }) };
  const own = ownAlarms('gateway', instance, alarms);
  const gateway = await startGatewayPart({ ...process.options, config: { ...config, ...ports } }, clients, {
    bridges,
    alarms: async () => [...(await alarmSources(every)), own],
  });
  process.add('gateway', gateway.stop);
  await process.reachStore(toStore);
  if (environment.listen !== undefined) {
    const server = await process.listen([], callersOf.gateway);
    process.add('gRPC server', () => server.stop(callsGraceMs));
  }
  return { address: gateway.address, stop: () => process.stop() };
}

/** Every process behind the gateway; those that do not answer are among them. */
async function alarmSources(every: ReadonlyMap<string, EveryReplica>): Promise<readonly AlarmSource[]> {
  const sources = [...every].map(async ([service, replicas]) =>
    (await replicas.all()).map((channel) => ({
      service,
      address: channel.address,
      client: createGrpcClient(health.AlarmService, channel),
    })),
  );
  return (await Promise.all(sources)).flat();
}
