/** Who decides an approval, how many of them, and what happens when nobody does: as it stands on the record, with absolute times. */
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { facts as wire } from '@stopgo/proto';
import type { ApproverSpec, DemandSpec } from '../policy/policy.ts';

/** Somebody who may decide. `unknown`: whoever that is, a later version knows. Here it is nobody, and not everybody. */
export type Approver = { readonly kind: 'user' | 'role' | 'group' | 'unknown'; readonly name: string };

/** Times are milliseconds since 1970. */
export type Demand = {
  /** Any of them may decide; none: whoever may decide approvals at all. */
  readonly approvers: readonly Approver[];
  /** So many different people have to say the same yes; at least 1. */
  readonly votes: number;
  /** Whoever sent the message that the run answers cannot decide. */
  readonly notRequester: boolean;
  /** Keys of those who changed the arguments of the call, and cannot decide either; absent: nobody did, or they can. */
  readonly authors?: readonly string[];
  /** When it has waited long enough, and what then happens; absent: it waits for ever. */
  readonly expires?: { readonly at: number; readonly verdict: 'reject' | 'leave' };
  /** In ascending order. */
  readonly remindAt: readonly number[];
  /** In ascending order. */
  readonly escalations: readonly {
    readonly at: number;
    readonly approvers: readonly Approver[];
    /** Webhooks that are told from then on as well; absent: none. */
    readonly notify?: readonly string[];
  }[];
};

/** The demand that a request records; undefined if it records none, and does not expire. */
export function demandFromWire({
  demand,
  expiresAt,
}: Pick<wire.ApprovalRequested, 'demand' | 'expiresAt'>): Demand | undefined {
  if (demand === undefined && expiresAt === undefined) return undefined;
  const verdict = demand?.onExpiry === wire.OnExpiry.LEAVE ? 'leave' : 'reject';
  return {
    approvers: approversFromWire(demand?.approvers ?? []),
    votes: Math.max(1, demand?.votes ?? 1),
    notRequester: demand?.notRequester ?? false,
    ...(demand === undefined || demand.authors.length === 0 ? {} : { authors: demand.authors }),
    ...(expiresAt === undefined ? {} : { expires: { at: msOf(expiresAt), verdict } }),
    remindAt: (demand?.remindAt ?? []).map(msOf),
    escalations: (demand?.escalations ?? []).map(({ at, approvers, notify }) => ({
      at: at === undefined ? 0 : msOf(at),
      approvers: approversFromWire(approvers),
      ...(notify.length === 0 ? {} : { notify }),
    })),
  };
}

/** The same as a rule says it, so that it can be asked for anew: times count from when it was requested. */
export function demandSpec({ expires, remindAt, escalations, ...demand }: Demand, requestedAt: number): DemandSpec {
  const after = (at: number): number => Math.max(0, at - requestedAt);
  const specs = (approvers: readonly Approver[]) => approvers as readonly ApproverSpec[];
  return {
    ...{ votes: demand.votes, notRequester: demand.notRequester, approvers: specs(demand.approvers) },
    ...(expires && { expires: { afterMs: after(expires.at), verdict: expires.verdict } }),
    remindAfterMs: remindAt.map(after),
    escalations: escalations.map(({ at, approvers, notify }) => ({
      afterMs: after(at),
      to: specs(approvers),
      ...(notify && { notify }),
    })),
  };
}

/** Never earlier than it says: who looks at that time finds it due. */
const msOf = (time: Parameters<typeof timestampMs>[0]): number => Math.ceil(timestampMs(time));

/**
 * Keys of those whom separation of duties keeps from deciding; an empty one is of somebody whom nobody knows. None without it.
 *
 * @param requester - key of whoever sent the message that the run answers; empty: nobody knows.
 */
export function keptOut({ notRequester, authors = [] }: Demand, requester: string): readonly string[] {
  return notRequester ? [...new Set([requester, ...authors])] : [];
}

function approversFromWire(approvers: readonly wire.Approver[]): readonly Approver[] {
  return approvers.map(({ who }) =>
    who.case === undefined ? { kind: 'unknown', name: '' } : { kind: who.case, name: who.value },
  );
}

/** An approver as it is recorded. */
export const approverToWire = ({ kind, name }: Approver) =>
  kind === 'unknown' ? {} : ({ who: { case: kind, value: name } } as const);

/** Those who may decide at a time: those of the beginning, and those of the escalations that have come. */
export function approversAt({ approvers, escalations }: Demand, now: number): readonly Approver[] {
  return [...approvers, ...escalations.filter(({ at }) => at <= now).flatMap((one) => one.approvers)];
}

/** Somebody who may decide, in words: `group finance`. */
export function approverText({ kind, name }: Approver): string {
  if (kind === 'unknown') return 'somebody whom only a later version knows';
  return kind === 'user' ? name : `${kind} ${name}`;
}
