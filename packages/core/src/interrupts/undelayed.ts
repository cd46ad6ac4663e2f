/** What is asked for anew does not wait longer for it. */

import { earlierEnd } from '../policy/merge-demands.ts';
import type { ApproverSpec, DemandSpec } from '../policy/policy.ts';
import type { Approver, Demand } from '../state/demand.ts';

/**
 * A demand that is asked for now, in the place of one that is on the record: it ends no later than that one, and where it lets the same
 * people decide, and others after a time, those come no later, and nobody is reminded again of what they were reminded of. Where the
 * people are others, their times begin now. Undefined if nothing is demanded.
 *
 * @param before - of the approval that it takes the place of, which is not over.
 */
export function undelayed(
  demand: DemandSpec | undefined,
  before: Demand | undefined,
  now: number,
): DemandSpec | undefined {
  if (before === undefined) return demand;
  const { approvers, votes, notRequester, ...times } = demand ?? anyOne;
  const was = before.expires && { afterMs: before.expires.at - now, verdict: before.expires.verdict };
  const expires = earlierEnd(times.expires, was);
  if (demand === undefined && expires === undefined) return undefined;
  const isInTime = (afterMs: number): boolean => expires?.verdict !== 'reject' || afterMs < expires.afterMs;
  const isSame = demand !== undefined && asksTheSame(demand, before);
  const escalations = isSame
    ? times.escalations.map((one, index) => ({
        ...one,
        afterMs: Math.min(one.afterMs, (before.escalations[index]?.at ?? Number.POSITIVE_INFINITY) - now),
      }))
    : times.escalations;
  const reminders = isSame ? before.remindAt.map((at) => at - now).filter((ms) => ms > 0) : times.remindAfterMs;
  return {
    ...{ approvers, votes, notRequester },
    ...(expires && { expires }),
    remindAfterMs: reminders.filter(isInTime),
    escalations: escalations.filter(({ afterMs }) => isInTime(afterMs)),
  };
}

const anyOne: DemandSpec = { approvers: [], votes: 1, notRequester: false, remindAfterMs: [], escalations: [] };

/** Whether the same people decide by both, those who may at first and those who may later. */
function asksTheSame(demand: DemandSpec, before: Demand): boolean {
  return (
    demand.votes === before.votes &&
    demand.notRequester === before.notRequester &&
    isSame(demand.approvers, before.approvers) &&
    demand.escalations.length === before.escalations.length &&
    demand.escalations.every(({ to }, index) => isSame(to, before.escalations[index]?.approvers ?? []))
  );
}

type Named = ApproverSpec | Approver;

function isSame(some: readonly Named[], others: readonly Named[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ kind, name }, index) => kind === others[index]?.kind && name === others[index]?.name)
  );
}
