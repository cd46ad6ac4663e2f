import { mcp, orchestrator, store } from '@stopgo/proto';
import { bind, createGrpcClient } from '@stopgo/rpc';
import type { Started } from '@stopgo/runtime';
import { checkedModels } from '../../parts/models.ts';
import { startOrchestratorPart } from '../../parts/orchestrator.ts';
import { callsGraceMs } from '../bounds.ts';
import type { ServiceProcess } from '../service-process.ts';
import { whenAvailable } from '../wait.ts';

/** One orchestrator: the only service with models and their keys. */
export async function startOrchestratorService(process: ServiceProcess): Promise<Started> {
  const { environment, instance, logger, stopping } = process.options;
  const { offlineModel } = environment;
  const { models, warm } = checkedModels({
    ...process.options,
    ...(offlineModel === undefined ? {} : { offlineModel }),
  });
  const toStore = process.connect('store');
  const toBridge = process.connect('mcp-bridge');
  await process.reach('store', toStore);
  const clients = {
    store: createGrpcClient(store.StoreService, toStore),
    bridge: createGrpcClient(mcp.McpBridgeService, toBridge),
    models,
  };
  const running = await whenAvailable(
    'the store and the bridge',
    () => startOrchestratorPart(process.options, instance, clients),
    { logger, signal: stopping },
  );
  process.add('orchestrator', running.stop);
  await warm;
  const server = await process.listen([bind(orchestrator.OrchestratorService, running.service)]);
  // At the same time: calls that wait for a run end with it.
  process.add('gRPC server', async () => void (await Promise.all([server.stop(callsGraceMs), running.stop()])));
  return { address: process.advertised(server), stop: () => process.stop() };
}
