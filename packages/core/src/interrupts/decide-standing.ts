/** The decider of approvals that stand for the rest of a conversation. */
import { type Fact, fact } from '../events/facts.ts';
import { serverOf } from '../events/target.ts';
import { approvalIn } from '../state/interrupt.ts';
import { anotherSession, type IdempotencyKey } from '../state/request.ts';
import type { ConversationState } from '../state/state.ts';
import { uuidFrom } from '../text/digest.ts';
import { standingMax } from './standing.ts';

/** Somebody lets the like of a call run for the rest of the conversation. */
export type GrantStandingCommand = {
  /** Of the call that is meant. */
  readonly approvalId: string;
  /** `same`: calls with exactly its arguments; `any`: with whichever. */
  readonly callArguments: 'same' | 'any';
  readonly sessionId?: string | undefined;
  readonly idempotency?: IdempotencyKey;
};

export type GrantStandingDecision =
  | { readonly kind: 'append'; readonly facts: readonly Fact[]; readonly standingId: string }
  /** The like of it runs already. */
  | { readonly kind: 'already'; readonly standingId: string }
  /** It is no approval of a call of the run that is open, of a call that has not run, or of the call as it is now. */
  | { readonly kind: 'past' }
  /** A rule says who decides it, each time. */
  | { readonly kind: 'demanded' }
  /** There are as many as a conversation may have. */
  | { readonly kind: 'full'; readonly most: number };

/** Takes the wish that the like of a call runs without asking. It says nothing of the approval that it is made from. */
export function grantStanding(state: ConversationState, command: GrantStandingCommand): GrantStandingDecision {
  const { run, standing = [] } = state;
  const approval = approvalIn(run, command.approvalId);
  const call = approval === undefined ? undefined : run?.calls[approval.callId];
  if (run?.status !== 'open' || approval?.of !== 'call' || call === undefined) return { kind: 'past' };
  // Another one stands for the call by now: somebody has changed its arguments, or its tool is another. It is not what was looked at.
  if (call.approvalId !== approval.id) return { kind: 'past' };
  if (approval.demand !== undefined) return { kind: 'demanded' };
  const { tool, pin } = call;
  const server = serverOf(call.target);
  // Which agent is called stands in the arguments, and which agent saves or writes in the digest: a yes to any would be a yes to all.
  const { kind } = call.target ?? {};
  const isOfOne = command.callArguments === 'same' || kind === 'agent' || kind === 'memory' || kind === 'data';
  const digest = isOfOne ? call.digest : '';
  const known = standing.find(
    (one) => one.server === server && one.tool === tool && one.pin === pin && (one.digest ?? '') === digest,
  );
  if (known !== undefined) return { kind: 'already', standingId: known.id };
  if (standing.length >= standingMax) return { kind: 'full', most: standingMax };
  const standingId = uuidFrom('standing', approval.id, digest, String(state.revision));
  const granted = fact('standingApprovalGranted', {
    ...{ standingId, approvalId: approval.id, runId: run.id, server, tool, pin, digest },
    sessionId: anotherSession(state, command),
    ...(command.idempotency === undefined ? {} : { idempotency: command.idempotency }),
  });
  return { kind: 'append', facts: [granted], standingId };
}

/** Somebody takes it back. */
export type RevokeStandingCommand = {
  readonly standingId: string;
  readonly sessionId?: string | undefined;
  readonly idempotency?: IdempotencyKey;
};

export type RevokeStandingDecision =
  | { readonly kind: 'append'; readonly facts: readonly Fact[] }
  /** There is none of that id, or not any more. */
  | { readonly kind: 'unknown' };

/** Takes the wish that a standing approval lets no call run any more. */
export function revokeStanding(state: ConversationState, command: RevokeStandingCommand): RevokeStandingDecision {
  const { standingId, idempotency } = command;
  if (!(state.standing ?? []).some(({ id }) => id === standingId)) return { kind: 'unknown' };
  const sessionId = anotherSession(state, command);
  const revoked = fact('standingApprovalRevoked', { standingId, sessionId, ...(idempotency && { idempotency }) });
  return { kind: 'append', facts: [revoked] };
}
