/** What the latest approval of a call took: whatever else is asked of the same call takes no less. */
import type { DemandSpec } from '../policy/policy.ts';
import { demandSpec } from '../state/demand.ts';
import { interruptsOf } from '../state/interrupt.ts';
import type { RunState } from '../state/state.ts';

/** The demand of the approval that let a call run, or would have, the latest if it was asked for again; undefined if it had none. */
export function lastDemand(run: RunState, callId: string): DemandSpec | undefined {
  const last = interruptsOf(run, 'approval').findLast((one) => one.of === 'call' && one.callId === callId);
  return last?.demand && demandSpec(last.demand, last.requestedAt);
}

/** Who decides, whom it is told and when, without an end: what may have happened, or what waits elsewhere, is not decided by waiting. */
export function withoutEnd({ expires: _end, ...demand }: DemandSpec): DemandSpec {
  return demand;
}
