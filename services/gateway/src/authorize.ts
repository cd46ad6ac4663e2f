import { type Action, type Principal, permissionDenied } from '@stopgo/core';

/** What they want to do it to; the id is absent for actions on a whole kind. */
export type Resource = {
  readonly kind: 'service' | 'tools' | 'agents' | 'conversation' | 'approval' | 'user';
  readonly id?: string;
};

/** Says whether a principal may do something; throws what they are to be told in place of a plain no. */
export type Authorize = (principal: Principal, action: Action, resource: Resource) => boolean | Promise<boolean>;

/** The rule where nobody has to sign in: everybody may do everything. */
export const allowAll: Authorize = () => true;

/**
 * Asks the rule and insists on a yes.
 *
 * @throws DomainError `permission_denied`.
 */
export async function requirePermission(
  authorize: Authorize,
  principal: Principal,
  action: Action,
  resource: Resource,
): Promise<void> {
  if (await authorize(principal, action, resource)) return;
  const what = resource.id === undefined ? resource.kind : `${resource.kind} ${resource.id}`;
  throw permissionDenied(`not allowed: ${action} on ${what}`);
}
