/** What the rules of a policy see of a run: who asked for it, and what it has done so far. */

import { facts } from '@stopgo/proto';
import { withCalls } from '../calls/judged-in.ts';
import type { FactOf } from '../events/facts.ts';
import { callerFromWire } from '../state/caller.ts';
import type { RunState } from '../state/state.ts';

/** What rules see of a run that has done nothing yet. */
export function policyOf({ policyDigest, caller }: FactOf<'runStarted'>): Partial<RunState> {
  const soFar = { calls: {}, approvals: 0 };
  return { policyDigest, soFar, ...(caller === undefined ? {} : { caller: callerFromWire(caller) }) };
}

/** With a policy: rules count the calls of a run. */
export function withCounted(run: RunState, calls: readonly facts.Call[]): RunState {
  if (run.soFar === undefined || calls.length === 0) return run;
  return { ...run, soFar: { ...run.soFar, calls: withCalls(run.soFar.calls, calls) } };
}

/** With a policy: rules count what people said yes to. */
export function withApproval(run: RunState, { decision, byPolicy }: FactOf<'approvalResolved'>): RunState {
  if (run.soFar === undefined || byPolicy || decision !== facts.Decision.APPROVED) return run;
  return { ...run, soFar: { ...run.soFar, approvals: run.soFar.approvals + 1 } };
}
