import { randomUUID } from 'node:crypto';
import { type ApprovalsDependencies, approvalsService } from '@stopgo/approvals';
import { systemClock } from '@stopgo/log';
import type { approvals } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';

/** The approvals service, under an id that is never used twice. It holds nothing, so there is nothing to stop. */
export function approvalsPart(
  instance: string,
  clients: Pick<ApprovalsDependencies, 'store' | 'orchestrator'>,
): ServiceImpl<typeof approvals.ApprovalsService> {
  return approvalsService({
    ...clients,
    instance,
    clock: systemClock,
    newId: randomUUID,
    random: Math.random,
  });
}
