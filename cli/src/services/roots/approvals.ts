import { approvals, orchestrator, people, store } from '@stopgo/proto';
import { bind, createGrpcClient } from '@stopgo/rpc';
import type { Started } from '@stopgo/runtime';
import { approvalsPart, peoplePart } from '../../parts/approvals.ts';
import { setUpFirstUser } from '../../parts/setup-key.ts';
import { callsGraceMs } from '../bounds.ts';
import { callersOf } from '../names.ts';
import type { ServiceProcess } from '../service-process.ts';

/** One approvals service. It works without an orchestrator: decisions are recorded, runs go on later. */
export async function startApprovalsService(process: ServiceProcess): Promise<Started> {
  const toStore = process.connect('store');
  const { config, environment, instance, logger } = process.options;
  const storeClient = createGrpcClient(store.StoreService, toStore);
  const orchestratorClient = createGrpcClient(orchestrator.OrchestratorService, process.connect('orchestrator'));
  const service = approvalsPart(instance, { store: storeClient, orchestrator: orchestratorClient }, config);
  await process.reachStore(toStore);
  await setUpFirstUser({ ...config, dataDir: environment.dataDir ?? config.dataDir }, storeClient, instance, logger);
  const services = [
    bind(approvals.ApprovalsService, service),
    bind(people.PeopleService, peoplePart(instance, storeClient)),
  ];
  const server = await process.listen(services, callersOf.approvals);
  process.add('gRPC server', () => server.stop(callsGraceMs));
  return { address: await process.advertised(server), stop: () => process.stop() };
}
