import { facts as wire } from '@stopgo/proto';
import { type Fact, fact } from '../events/facts.ts';
import type { RunState } from '../state/state.ts';

/** The fact that a pending approval is not needed any more. */
export function withdrawal(run: RunState, approvalId: string, reason: string): Fact {
  const callId = run.approvals[approvalId]?.callId ?? '';
  const tool = run.calls[callId]?.tool ?? '';
  return fact('approvalResolved', {
    approvalId,
    runId: run.id,
    decision: wire.Decision.WITHDRAWN,
    reason,
    callId,
    tool,
    proxy: run.approvals[approvalId]?.kind === 'proxy',
  });
}
