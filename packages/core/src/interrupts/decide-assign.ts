/** The decider of who is to look at an approval. It is a hint: whoever may decide still may. */
import { type Fact, fact } from '../events/facts.ts';
import { mayReach } from '../people/permissions.ts';
import type { Principal } from '../people/principal.ts';
import { isAtLeast } from '../people/roles.ts';
import { approvalIn, decisionOn, type Vote } from '../state/interrupt.ts';
import { principalOf } from '../state/principal.ts';
import { anotherSession, type IdempotencyKey } from '../state/request.ts';
import type { ConversationState } from '../state/state.ts';
import { mayDecide } from './may-decide.ts';
import { type Voter, voterToWire } from './voter.ts';

/** Somebody, as what they may is judged by. */
type Somebody = { readonly principal: Principal; readonly voter: Voter };

/** An address that is no active user's. */
type NoSuchPerson = { readonly unknown: string };

export type AssignCommand = {
  readonly approvalId: string;
  /** Who is to look at it; undefined: nobody in particular any more. */
  readonly to: Somebody | NoSuchPerson | undefined;
  /** Who says so. */
  readonly by: Somebody;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly sessionId?: string | undefined;
  readonly idempotency?: IdempotencyKey;
};

export type AssignDecision =
  | { readonly kind: 'append'; readonly facts: readonly Fact[] }
  /** It is so already. */
  | { readonly kind: 'already' }
  | { readonly kind: 'settled'; readonly decision: Vote }
  /** It is not an approval of the latest run, or its time is over. */
  | { readonly kind: 'past' }
  /** Who says so may not. */
  | { readonly kind: 'not_entitled'; readonly reason: string }
  /** Who is to look at it may not decide it, or is not there. The reason says which: it is for those who may know who there is. */
  | { readonly kind: 'assignee'; readonly reason: string };

/** Takes the wish that somebody looks at an approval. Of it and a decision the first in the log counts: nothing settled is assigned. */
export function assignApproval(state: ConversationState, command: AssignCommand): AssignDecision {
  const { run } = state;
  const approval = approvalIn(run, command.approvalId);
  if (run === null || approval === undefined) return { kind: 'past' };
  const decision = decisionOn(approval);
  if (decision !== undefined) return { kind: 'settled', decision };
  const { demand, callId } = approval;
  const { to, by, now } = command;
  const isOver = demand?.expires?.verdict === 'reject' && demand.expires.at <= now;
  if (run.status !== 'open' || isOver) return { kind: 'past' };
  const isAdministrator = by.voter.role !== undefined && isAtLeast(by.voter.role, 'ADMIN');
  const may = mayDecide(demand, by.voter, run.requester ?? '', now);
  if (!may.may && !isAdministrator) return { kind: 'not_entitled', reason: may.reason };
  // After all that does not depend on who is meant: it would say who there is.
  if (to !== undefined && 'unknown' in to)
    return { kind: 'assignee', reason: `no active user has the address ${to.unknown}` };
  const entitlement = to === undefined ? undefined : mayDecide(demand, to.voter, run.requester ?? '', now);
  if (entitlement?.may === false) return { kind: 'assignee', reason: entitlement.reason };
  const namesSomebody = (demand?.approvers.length ?? 0) > 0;
  if (to !== undefined && !namesSomebody && !mayReach(to.principal, 'approval.resolve', principalOf(state)))
    return { kind: 'assignee', reason: `${to.voter.name} may decide only in conversations of their own` };
  if (approval.assignee === to?.voter.key) return { kind: 'already' };
  const assigned = fact('approvalAssigned', {
    ...{ approvalId: approval.id, runId: run.id, callId, tool: run.calls[callId]?.tool ?? '' },
    ...(to === undefined ? {} : { assignee: voterToWire(to.voter, entitlement?.may ? entitlement.entitledBy : '') }),
    sessionId: anotherSession(state, command),
    ...(command.idempotency === undefined ? {} : { idempotency: command.idempotency }),
  });
  return { kind: 'append', facts: [assigned] };
}
