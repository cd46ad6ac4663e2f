import { unavailable } from '@stopgo/core';
import { mcp, store } from '@stopgo/proto';
import { bind, createGrpcClient } from '@stopgo/rpc';
import type { Started } from '@stopgo/runtime';
import { startBridgePart } from '../../parts/bridge.ts';
import { bridgeHeartbeat } from '../../parts/bridge-heartbeat.ts';
import { callsGraceMs } from '../bounds.ts';
import type { ServiceProcess } from '../service-process.ts';
import { whenAvailable } from '../wait.ts';

/** One bridge to the tool servers. It can work once the store knows where it is. */
export async function startBridgeService(process: ServiceProcess): Promise<Started> {
  const { config, instance, logger, stopping } = process.options;
  const toStore = process.connect('store');
  const bridge = await startBridgePart(process.options, instance);
  const server = await process.listen([bind(mcp.McpBridgeService, bridge.service)]);
  // Calls that run may end, and their drivers may ask for the outcome, before nobody answers any more.
  process.add('gRPC server', () => server.stop(callsGraceMs));
  process.add('mcp-bridge', bridge.stop);
  const heartbeat = bridgeHeartbeat({
    store: createGrpcClient(store.StoreService, toStore),
    instance,
    address: process.advertised(server),
    ttlMs: config.heartbeatTtlMs,
  });
  process.add('heartbeat', heartbeat.stop);
  await whenAvailable(
    'the store',
    async () => {
      if (!(await heartbeat.renew())) throw unavailable(`${toStore.address} confirms no heartbeat`);
    },
    { logger, signal: stopping },
  );
  heartbeat.run();
  return { address: process.advertised(server), stop: () => process.stop() };
}
