import { type Action, mayReach } from '../people/permissions.ts';
import type { Principal } from '../people/principal.ts';
import { principalOf } from '../state/principal.ts';
import type { ConversationState } from '../state/state.ts';
import { notFound } from '../text/errors.ts';

/**
 * That somebody may do something to a conversation. The edge has asked the same before; a service that is reached otherwise tells
 * nobody of what is not theirs.
 *
 * @throws DomainError `not_found`, as for a conversation that does not exist.
 */
export function requireReach(
  principal: Principal,
  action: Action,
  state: Pick<ConversationState, 'id' | 'principal'>,
): void {
  if (!mayReach(principal, action, principalOf(state))) throw notFound(`conversation not found: ${state.id}`);
}
