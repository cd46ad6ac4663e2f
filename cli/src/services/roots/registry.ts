import { registry, store } from '@stopgo/proto';
import { bind, createGrpcClient } from '@stopgo/rpc';
import type { Started } from '@stopgo/runtime';
import { startRegistryPart } from '../../parts/registry.ts';
import { callsGraceMs } from '../bounds.ts';
import { callersOf } from '../names.ts';
import type { ServiceProcess } from '../service-process.ts';

/** One registry. Each has mirrors of its own; the log makes them agree. */
export async function startRegistryService(process: ServiceProcess): Promise<Started> {
  const { config, environment, instance } = process.options;
  const toStore = process.connect('store');
  await process.reachStore(toStore);
  const running = await startRegistryPart(
    { ...process.options, config: { ...config, dataDir: environment.dataDir ?? config.dataDir } },
    instance,
    createGrpcClient(store.StoreService, toStore),
    environment.pushKey,
  );
  process.add('registry', running.stop);
  const server = await process.listen([bind(registry.RegistryService, running.service)], callersOf.registry);
  process.add('gRPC server', () => server.stop(callsGraceMs));
  return { address: await process.advertised(server), stop: () => process.stop() };
}
