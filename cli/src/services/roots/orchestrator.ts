import { approvals, mcp, memory, orchestrator, registry, store } from '@stopgo/proto';
import { bind, connectGrpc, createGrpcClient, type Secret } from '@stopgo/rpc';
import type { Started } from '@stopgo/runtime';
import { sendsLinks } from '../../parts/links.ts';
import { checkedModels } from '../../parts/models.ts';
import { startOrchestratorPart } from '../../parts/orchestrator.ts';
import { hasRegistry } from '../../parts/registry.ts';
import { callsGraceMs } from '../bounds.ts';
import { callersOf } from '../names.ts';
import type { ServiceProcess } from '../service-process.ts';

/** One orchestrator: the only service with models and their keys. */
export async function startOrchestratorService(process: ServiceProcess): Promise<Started> {
  const { environment, instance } = process.options;
  const { addresses, offlineModel, internalToken, pushKey } = environment;
  const { models, warm } = checkedModels({
    ...process.options,
    ...(offlineModel === undefined ? {} : { offlineModel }),
  });
  const toStore = process.connect('store');
  await process.reachStore(toStore);
  const clients = {
    store: createGrpcClient(store.StoreService, toStore),
    connectBridge: (address: string) => (address === '' ? undefined : connectBridge(address, internalToken)),
    models,
    pushKey: () => pushKey,
    ...(addresses.approvals !== undefined && sendsLinks(process.options.config)
      ? { approvals: createGrpcClient(approvals.ApprovalsService, process.connect('approvals')) }
      : {}),
    ...(addresses.registry !== undefined && hasRegistry(process.options.config)
      ? { registry: createGrpcClient(registry.RegistryService, process.connect('registry')) }
      : {}),
  };
  const running = await startOrchestratorPart(process.options, instance, clients);
  process.add('orchestrator', running.stop);
  await warm;
  const server = await process.listen(
    [bind(orchestrator.OrchestratorService, running.service), bind(memory.MemoryService, running.memories)],
    callersOf.orchestrator,
  );
  // At the same time: calls that wait for a run end with it.
  process.add('gRPC server', async () => void (await Promise.all([server.stop(callsGraceMs), running.stop()])));
  return { address: await process.advertised(server), stop: () => process.stop() };
}

/** The way to one bridge: calls of an attempt go to the instance that it was recorded for, never to any other. */
function connectBridge(address: string, internalToken: Secret | undefined) {
  const channel = connectGrpc(address, internalToken === undefined ? {} : { internalToken });
  return {
    client: createGrpcClient(mcp.McpBridgeService, channel),
    isConnected: () => channel.isConnected(),
    close: () => channel.close(),
  };
}
