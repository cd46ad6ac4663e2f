/** Approvals that stand for the rest of a conversation. */
import type { FactOf, RecordedFact } from '../events/facts.ts';
import type { StandingApproval } from '../state/standing-approval.ts';
import type { ConversationState } from '../state/state.ts';

/** Standing approvals that a conversation may have at a time. */
export const standingMax = 100;

/** The conversation once one is granted. */
export function withStanding(
  state: ConversationState,
  granted: FactOf<'standingApprovalGranted'>,
  { actor, time }: RecordedFact,
): ConversationState {
  const { standing = [] } = state;
  const { standingId: id, approvalId, server, tool, pin, digest } = granted;
  if (standing.length >= standingMax || standing.some((one) => one.id === id)) return state;
  const one: StandingApproval = {
    ...{ id, approvalId, server, tool, pin },
    ...(digest === '' ? {} : { digest }),
    by: actor.id,
    at: time,
  };
  return { ...state, standing: [...standing, one] };
}

/** The conversation once one is revoked. */
export function withoutStanding(state: ConversationState, standingId: string): ConversationState {
  const { standing = [], ...rest } = state;
  const left = standing.filter(({ id }) => id !== standingId);
  return left.length === 0 ? rest : { ...rest, standing: left };
}
