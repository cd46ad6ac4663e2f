import { approvals, orchestrator, store } from '@stopgo/proto';
import { bind, createGrpcClient } from '@stopgo/rpc';
import type { Started } from '@stopgo/runtime';
import { approvalsPart } from '../../parts/approvals.ts';
import { callsGraceMs } from '../bounds.ts';
import { callersOf } from '../names.ts';
import type { ServiceProcess } from '../service-process.ts';

/** One approvals service. It works without an orchestrator: decisions are recorded, runs go on later. */
export async function startApprovalsService(process: ServiceProcess): Promise<Started> {
  const toStore = process.connect('store');
  const service = approvalsPart(process.options.instance, {
    store: createGrpcClient(store.StoreService, toStore),
    orchestrator: createGrpcClient(orchestrator.OrchestratorService, process.connect('orchestrator')),
  });
  await process.reachStore(toStore);
  const server = await process.listen([bind(approvals.ApprovalsService, service)], callersOf.approvals);
  process.add('gRPC server', () => server.stop(callsGraceMs));
  return { address: process.advertised(server), stop: () => process.stop() };
}
