import { isAskedOf, mayReach, permissionDenied, principalOf, reachOf, whyNotAllowed } from '@stopgo/core';
import type { Loaded } from '@stopgo/log';
import type { CallContext } from '@stopgo/rpc';
import type { ApprovalsDependencies } from './dependencies.ts';

/**
 * That somebody may decide an approval at all: it is of a conversation of theirs, they may decide all, or it asks for them. Whether
 * their voice counts is decided with the rest. Neither the owner nor who is asked ever changes, so an older state will do.
 *
 * @throws DomainError `permission_denied` for who decides nothing, or what `notFound` makes, as for an approval that does not exist.
 */
export async function requireAsked(
  { store, clock }: Pick<ApprovalsDependencies, 'store' | 'clock'>,
  { state }: Pick<Loaded, 'state'>,
  { principal }: Pick<CallContext, 'principal'>,
  approvalId: string,
  notFound: (approvalId: string) => Error,
): Promise<void> {
  const action = 'approval.resolve';
  if (reachOf(principal, action) === 'none') throw permissionDenied(whyNotAllowed(principal, action));
  if (mayReach(principal, action, principalOf(state))) return;
  const { approval } = await store.getApproval({ approvalId });
  if (approval === undefined || !isAskedOf(approval, principal, clock.now())) throw notFound(approvalId);
}
