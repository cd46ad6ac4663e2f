/** Two demands of one approval made one that asks for both. */
import { isAtLeast, roleNamed } from '../people/roles.ts';
import type { ApproverSpec, DemandSpec } from './policy.ts';

/**
 * One demand that never asks less than either of two: whoever may decide by it, at any time, may decide by both, and what has all its
 * votes in time has those of both. Undefined if there is none, because nobody is named by both, or too few are: a list says "any of
 * these", so it cannot ask for somebody of finance and somebody of support. To take the list of one would let go of the other; the
 * call is to be refused instead. A demand that is absent asks for any one yes.
 *
 * - votes: the larger number; who asked is kept out if either keeps them out;
 * - approvers: of two lists whoever is on both (`role:ADMIN` is on a list with `role:USER`), of one list that one;
 * - the end: the earlier one that rejects; if none does, the earlier one that shows it as overdue;
 * - escalations: to others from when they may decide by both; reminders: those of the first that has any. None comes after the end.
 */
export function mergeDemands(
  first: DemandSpec | undefined,
  second: DemandSpec | undefined,
): { readonly demand?: DemandSpec } | undefined {
  if (first === undefined || second === undefined) {
    const demand = first ?? second;
    return demand === undefined ? {} : { demand };
  }
  const votes = Math.max(first.votes, second.votes);
  const approvers = onBoth(first.approvers, second.approvers);
  const isNamed = first.approvers.length > 0 || second.approvers.length > 0;
  if (isNamed && !canGive(approvers, votes)) return undefined;
  const expires = earlierEnd(first.expires, second.expires);
  const isInTime = (afterMs: number): boolean => expires?.verdict !== 'reject' || afterMs < expires.afterMs;
  const escalations = isNamed ? bothEscalations(first, second, approvers) : either('escalations', first, second);
  return {
    demand: {
      approvers,
      votes,
      notRequester: first.notRequester || second.notRequester,
      ...(expires && { expires }),
      remindAfterMs: either('remindAfterMs', first, second).filter(isInTime),
      escalations: escalations.filter(({ afterMs }) => isInTime(afterMs)),
    },
  };
}

/** Those who satisfy two lists; an empty one is satisfied by everybody. */
function onBoth(one: readonly ApproverSpec[], other: readonly ApproverSpec[]): readonly ApproverSpec[] {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const some = one.filter((approver) => other.some((wider) => isAmong(approver, wider)));
  const more = other.filter((approver) => one.some((wider) => isAmong(approver, wider)));
  return [...some, ...without(more, some)];
}

/** Whether everybody whom an approver stands for is also one of another's. */
function isAmong(one: ApproverSpec, wider: ApproverSpec): boolean {
  if (one.kind === 'role' && wider.kind === 'role') {
    const [has, least] = [roleNamed(one.name), roleNamed(wider.name)];
    return has !== undefined && least !== undefined && isAtLeast(has, least);
  }
  return keyOf(one) === keyOf(wider);
}

/** What tells an approver from others. Users are the same whatever the case of their names, as where they vote. */
export const keyOf = ({ kind, name }: ApproverSpec): string => `${kind}:${kind === 'user' ? name.toLowerCase() : name}`;

function without(all: readonly ApproverSpec[], known: readonly ApproverSpec[]): readonly ApproverSpec[] {
  const keys = new Set(known.map(keyOf));
  return all.filter((one) => !keys.has(keyOf(one)));
}

/** Whether so many different people can be among them. */
export function canGive(approvers: readonly ApproverSpec[], votes: number): boolean {
  return approvers.some(({ kind }) => kind !== 'user') || new Set(approvers.map(keyOf)).size >= votes;
}

/** Of two ends the earlier one that rejects; if none does, the earlier one. Undefined if there is none. */
export function earlierEnd(one: DemandSpec['expires'], other: DemandSpec['expires']): DemandSpec['expires'] {
  const ends = [one, other].filter((end) => end !== undefined);
  const rejecting = ends.filter(({ verdict }) => verdict === 'reject');
  return (rejecting.length > 0 ? rejecting : ends).sort((a, b) => a.afterMs - b.afterMs)[0];
}

function either<K extends 'remindAfterMs' | 'escalations'>(key: K, first: DemandSpec, second: DemandSpec) {
  return first[key].length > 0 ? first[key] : second[key];
}

/** From each time on at which others may decide by either: those who then may by both, and could not before. */
function bothEscalations(
  first: DemandSpec,
  second: DemandSpec,
  from: readonly ApproverSpec[],
): DemandSpec['escalations'] {
  const times = [...first.escalations, ...second.escalations].map(({ afterMs }) => afterMs);
  let known = from;
  return [...new Set(times)]
    .sort((a, b) => a - b)
    .flatMap((afterMs) => {
      const to = without(onBoth(namedAt(first, afterMs), namedAt(second, afterMs)), known);
      known = [...known, ...to];
      const told = [...first.escalations, ...second.escalations].filter((one) => one.afterMs === afterMs);
      const notify = [...new Set(told.flatMap((one) => one.notify ?? []))];
      return to.length === 0 ? [] : [{ afterMs, to, ...(notify.length > 0 && { notify }) }];
    });
}

/** Those whom a demand names at a time; none if it names nobody to begin with: then anybody may decide, all the time. */
function namedAt({ approvers, escalations }: DemandSpec, ms: number): readonly ApproverSpec[] {
  if (approvers.length === 0) return [];
  return [...approvers, ...escalations.filter(({ afterMs }) => afterMs <= ms).flatMap(({ to }) => to)];
}
