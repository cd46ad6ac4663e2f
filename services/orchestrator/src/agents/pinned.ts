import { type Principal, permissionDenied, quotedName, reachOf, whyNotAllowed } from '@stopgo/core';
import type { CatalogueAgent } from './catalogue.ts';

/** Detail `reason` of errors about an agent of a commit that somebody may not ask for. */
export const notPinned = 'agent_pin';

/**
 * Insists that somebody may have a run follow the agent. What an agent asks people about stands in its file, so another commit of it than the
 * one that is synced may ask nobody.
 *
 * @throws DomainError `permission_denied` (reason=agent_pin)
 */
export function requirePin(principal: Principal, agent: Pick<CatalogueAgent, 'name' | 'pinned'> | undefined): void {
  if (agent?.pinned !== true || reachOf(principal, 'agent.pin') === 'all') return;
  const what = `the agent ${quotedName(agent.name)} is taken from the commit that is synced, unless an administrator asks for another one`;
  throw permissionDenied(`${what}; leave git_commit out (${whyNotAllowed(principal, 'agent.pin')})`, {
    reason: notPinned,
  });
}
