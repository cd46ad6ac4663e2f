import { unavailable } from '@stopgo/core';
import { Waits } from '@stopgo/log';
import { refuseSecondBridge } from '@stopgo/mcp-bridge';
import { mcp, store } from '@stopgo/proto';
import { bind, createGrpcClient } from '@stopgo/rpc';
import type { Started } from '@stopgo/runtime';
import { startBridgePart } from '../../parts/bridge.ts';
import { bridgeHeartbeat } from '../../parts/bridge-heartbeat.ts';
import { callsGraceMs } from '../bounds.ts';
import { callersOf } from '../names.ts';
import type { ServiceProcess } from '../service-process.ts';
import { whenAvailable } from '../wait.ts';

/** One bridge to the tool servers. It can work once the store knows where it is. */
export async function startBridgeService(process: ServiceProcess): Promise<Started> {
  const { config, instance, logger, stopping } = process.options;
  const toStore = process.connect('store');
  const storeClient = createGrpcClient(store.StoreService, toStore);
  const waits = new Waits(Date.now);
  const heartbeat = bridgeHeartbeat(storeClient, instance, config.heartbeatTtlMs, waits);
  const announce = () =>
    whenAvailable(
      'the store',
      async () => {
        if (await heartbeat.renew()) return;
        throw unavailable(`${toStore.address} confirms no heartbeat; does it run?`);
      },
      { logger, signal: stopping },
    );
  await process.reachStore(toStore);
  await announce();
  const beating = heartbeat.run(() => undefined);
  // The last word: nothing runs here any more, and nobody can ask.
  process.add('heartbeat', async () => {
    await heartbeat.leave();
    await beating;
  });
  await refuseSecondBridge(config.mcpServers, heartbeat, stopping);
  const bridge = await whenAvailable(
    'the tool servers',
    () =>
      startBridgePart(
        process.options,
        heartbeat,
        { client: storeClient, isFar: true },
        waits,
        process.options.environment.accountKey,
      ),
    {
      logger,
      signal: stopping,
    },
  );
  const server = await process.listen(
    [bind(mcp.McpBridgeService, bridge.service), bind(mcp.AccountsService, bridge.accounts)],
    callersOf['mcp-bridge'],
  );
  // Calls that run may end, and their drivers may ask for the outcome, before nobody answers any more.
  process.add('gRPC server', () => server.stop(callsGraceMs));
  process.add('mcp-bridge', bridge.stop);
  const address = await process.advertised(server);
  heartbeat.listensAt(address);
  await announce();
  return { address, stop: () => process.stop() };
}
