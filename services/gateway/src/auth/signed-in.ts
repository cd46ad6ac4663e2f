import { DomainError, mayReach, permissionDenied, publicActions, reachOf, userKey, whyNotAllowed } from '@stopgo/core';
import type { Authorize, Resource } from '../authorize.ts';
import { approvalNotFound, conversationNotFound } from '../path-ids.ts';
import type { Owners } from './owners.ts';
import { notSignedIn } from './refusal.ts';

/**
 * The rule where people have to sign in: by the table of actions and roles. What somebody may not see is answered as if it did not
 * exist.
 */
export const signedInRule =
  (owners: Owners): Authorize =>
  async (principal, action, resource) => {
    if (principal.kind === 'nobody' && !publicActions.has(action))
      throw notSignedIn('sign in first: send Authorization: Bearer with a token, or X-API-Key');
    const reach = reachOf(principal, action);
    if (reach === 'all' || (reach === 'own' && resource.id === undefined)) return true;
    if (reach === 'none') throw permissionDenied(whyNotAllowed(principal, action));
    const owner = await ownerOf(owners, resource);
    if (owner !== undefined && mayReach(principal, action, owner)) return true;
    if (resource.kind === 'approval' && owner !== undefined && (await owners.isAskedOf(resource.id ?? '', principal)))
      return true;
    // Who may see a user anyway is told that they may not do this.
    if (resource.kind === 'user' && owner !== undefined && mayReach(principal, 'user.read', owner))
      throw permissionDenied(whyNotAllowed(principal, action));
    throw notThere(resource);
  };

async function ownerOf(owners: Owners, { kind, id = '' }: Resource): Promise<string | undefined> {
  switch (kind) {
    case 'conversation':
      return owners.ofConversation(id);
    case 'approval':
      return owners.ofApproval(id);
    case 'user':
      return userKey(id);
    case 'service':
    case 'tools':
    case 'agents':
      return undefined;
  }
}

function notThere({ kind, id = '' }: Resource): DomainError {
  switch (kind) {
    case 'conversation':
      return conversationNotFound(id);
    case 'approval':
      return approvalNotFound(id);
    default:
      return new DomainError('not_found', `there is no ${kind} ${id}`);
  }
}
