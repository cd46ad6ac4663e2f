import { type Principal, permissionDenied } from '@stopgo/core';

/** What somebody wants to do. */
export type Action =
  | 'health.read'
  | 'docs.read'
  | 'card.read'
  | 'card.read_extended'
  | 'tools.list'
  | 'servers.list'
  | 'tools.accept'
  | 'conversation.create'
  | 'conversation.list'
  | 'conversation.read'
  | 'conversation.follow'
  | 'message.send'
  | 'run.cancel'
  | 'input.provide'
  | 'push.set'
  | 'push.read'
  | 'task.nudge'
  | 'approval.list'
  | 'approval.read'
  | 'approval.resolve';

/** What they want to do it to; the id is absent for actions on a whole kind. */
export type Resource = {
  readonly kind: 'service' | 'tools' | 'conversation' | 'approval';
  readonly id?: string;
};

/** Says whether a principal may do something. */
export type Authorize = (principal: Principal, action: Action, resource: Resource) => boolean | Promise<boolean>;

/** The rule until there is authentication: everybody may do everything. */
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
