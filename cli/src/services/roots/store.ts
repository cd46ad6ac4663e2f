import { store } from '@stopgo/proto';
import { bind } from '@stopgo/rpc';
import type { Started } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { startStoreOnNats } from '@stopgo/store/nats';
import { openStreamsOf } from '../../parts/store.ts';
import { callsGraceMs } from '../bounds.ts';
import { callersOf } from '../names.ts';
import type { ServiceProcess } from '../service-process.ts';

/** One replica of the store: on NATS JetStream where the environment names it, else on the embedded log. */
export async function startStoreService(process: ServiceProcess): Promise<Started> {
  const { config, environment, logger, stopping } = process.options;
  const shared = { dataDir: environment.dataDir ?? config.dataDir, log: logger, openStreamsMax: openStreamsOf(config) };
  const { nats, internalToken, peers } = environment;
  if (internalToken !== undefined && peers === undefined)
    logger.warn(
      'all services have one internal token: whoever learns it can record decisions of people; give each its own (docs/deployment.md#tokens-of-services)',
    );
  const running =
    nats === undefined
      ? // Other processes outlive this one: that none has sent a heartbeat yet does not prove it dead.
        await startStore({ ...shared, instancesComplete: false })
      : await startStoreOnNats({
          ...shared,
          ...nats,
          stream: config.nats.stream,
          replicas: config.nats.replicas,
          acceptUnverifiedDurability: config.nats.acceptUnverifiedDurability,
          signal: stopping,
        });
  process.add('store', running.stop);
  const server = await process.listen([bind(store.StoreService, running.service)], callersOf.store);
  process.add('gRPC server', () => server.stop(callsGraceMs));
  return { address: await process.advertised(server), stop: () => process.stop() };
}
