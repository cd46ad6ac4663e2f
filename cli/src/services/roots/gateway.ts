import { approvals, mcp, memory, orchestrator, people, registry, store } from '@stopgo/proto';
import { createGrpcClient } from '@stopgo/rpc';
import type { Started } from '@stopgo/runtime';
import { startGatewayPart } from '../../parts/gateway.ts';
import { hasRegistry } from '../../parts/registry.ts';
import { callsGraceMs } from '../bounds.ts';
import { callersOf } from '../names.ts';
import type { ServiceProcess } from '../service-process.ts';
import { EveryBridge } from './every-bridge.ts';

/**
 * One gateway. It listens at once and answers 503 for what is not there yet; it counts as ready when the store is. Over gRPC
 * it answers health checks only, where it is told to listen.
 */
export async function startGatewayService(process: ServiceProcess): Promise<Started> {
  const { config, environment } = process.options;
  const toStore = process.connect('store');
  const toBridges = process.connect('mcp-bridge');
  const toOrchestrators = process.connect('orchestrator');
  const toApprovals = process.connect('approvals');
  const everyBridge = new EveryBridge(toBridges, environment.internalToken);
  process.add('channels to each mcp-bridge', async () => everyBridge.close());
  const clients = {
    store: createGrpcClient(store.StoreService, toStore),
    bridge: createGrpcClient(mcp.McpBridgeService, toBridges),
    orchestrator: createGrpcClient(orchestrator.OrchestratorService, toOrchestrators),
    memories: createGrpcClient(memory.MemoryService, toOrchestrators),
    approvals: createGrpcClient(approvals.ApprovalsService, toApprovals),
    people: createGrpcClient(people.PeopleService, toApprovals),
    ...(environment.addresses.registry === undefined || !hasRegistry(config)
      ? {}
      : { registry: createGrpcClient(registry.RegistryService, process.connect('registry')) }),
  };
  const port = environment.httpPort ?? config.port;
  const a2aGrpcPort = environment.a2aGrpcPort ?? config.a2aGrpcPort;
  const ports = { port, ...(a2aGrpcPort === undefined ? {} : { a2aGrpcPort }) };
  const gateway = await startGatewayPart({ ...process.options, config: { ...config, ...ports } }, clients, {
    bridges: () => everyBridge.all(),
  });
  process.add('gateway', gateway.stop);
  await process.reachStore(toStore);
  if (environment.listen !== undefined) {
    const server = await process.listen([], callersOf.gateway);
    process.add('gRPC server', () => server.stop(callsGraceMs));
  }
  return { address: gateway.address, stop: () => process.stop() };
}
