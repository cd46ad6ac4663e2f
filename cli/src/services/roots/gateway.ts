import { approvals, mcp, orchestrator, store } from '@stopgo/proto';
import { createGrpcClient } from '@stopgo/rpc';
import type { Started } from '@stopgo/runtime';
import { startGatewayPart } from '../../parts/gateway.ts';
import { callsGraceMs } from '../bounds.ts';
import type { ServiceProcess } from '../service-process.ts';

/**
 * One gateway. It listens at once and answers 503 for what is not there yet; it counts as ready when the store is. Over gRPC
 * it answers health checks only, where it is told to listen.
 */
export async function startGatewayService(process: ServiceProcess): Promise<Started> {
  const { config, environment } = process.options;
  const toStore = process.connect('store');
  const clients = {
    store: createGrpcClient(store.StoreService, toStore),
    bridge: createGrpcClient(mcp.McpBridgeService, process.connect('mcp-bridge')),
    orchestrator: createGrpcClient(orchestrator.OrchestratorService, process.connect('orchestrator')),
    approvals: createGrpcClient(approvals.ApprovalsService, process.connect('approvals')),
  };
  const port = environment.httpPort ?? config.port;
  const a2aGrpcPort = environment.a2aGrpcPort ?? config.a2aGrpcPort;
  const ports = { port, ...(a2aGrpcPort === undefined ? {} : { a2aGrpcPort }) };
  const gateway = await startGatewayPart({ ...process.options, config: { ...config, ...ports } }, clients);
  process.add('gateway', gateway.stop);
  await process.reachStore(toStore);
  if (environment.listen !== undefined) {
    const server = await process.listen([]);
    process.add('gRPC server', () => server.stop(callsGraceMs));
  }
  return { address: gateway.address, stop: () => process.stop() };
}
