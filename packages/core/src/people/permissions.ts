// Who may do what: one table of action and role. Everything that asks looks here.
import { permissionDenied } from '../text/errors.ts';
import type { Principal, Scope, UserPrincipal } from './principal.ts';
import { principalKey } from './principal.ts';
import type { Role } from './roles.ts';

/**
 * How far a role's permission goes. `own`: for what belongs to the user, or concerns them; whoever is asked finds out whether it does.
 */
export type Reach = 'all' | 'own' | 'none';

type Rule = Readonly<Record<Role, Reach>> & {
  /** The scope that an API key needs for it, if it has any. */
  readonly scope: Scope;
};

const everybody = (scope: Scope): Rule => ({ USER: 'all', ADMIN: 'all', SUPER_ADMIN: 'all', scope });
const ownOnly = (scope: Scope): Rule => ({ USER: 'own', ADMIN: 'all', SUPER_ADMIN: 'all', scope });
const ownOrSuper = (scope: Scope): Rule => ({ USER: 'own', ADMIN: 'own', SUPER_ADMIN: 'all', scope });
const administrators = (scope: Scope): Rule => ({ USER: 'none', ADMIN: 'all', SUPER_ADMIN: 'all', scope });

/** What somebody may want to do, and which role may. */
export const permissions = {
  'health.read': everybody('read'),
  'docs.read': everybody('read'),
  'card.read': everybody('read'),
  'card.read_extended': everybody('read'),
  'tools.list': everybody('read'),
  'servers.list': everybody('read'),
  'tools.accept': administrators('admin'),
  'alarms.list': administrators('admin'),
  'waits.list': administrators('admin'),
  'agents.read': everybody('read'),
  'agent.pin': administrators('admin'),
  'memory.read': everybody('read'),
  'memory.change': administrators('admin'),
  'repository.sync': administrators('admin'),
  'repository.manage': administrators('admin'),
  'repository.notify': everybody('converse'),
  // Of one's own accounts: nobody reaches those of others.
  'connection.list': everybody('read'),
  'connection.change': everybody('converse'),
  'conversation.create': everybody('converse'),
  'conversation.list': ownOnly('read'),
  'conversation.read': ownOnly('read'),
  'conversation.follow': ownOnly('read'),
  'message.send': ownOnly('converse'),
  'run.cancel': ownOnly('converse'),
  'step.cancel': ownOnly('converse'),
  'run.pause': ownOnly('converse'),
  'run.resume': ownOnly('converse'),
  'input.provide': ownOnly('converse'),
  'push.set': ownOnly('converse'),
  'push.read': ownOnly('read'),
  'task.nudge': everybody('converse'),
  'approval.list': ownOnly('read'),
  'approval.read': ownOnly('read'),
  'approval.resolve': ownOnly('approve'),
  'user.list': administrators('admin'),
  'user.read': ownOnly('read'),
  'user.create': administrators('admin'),
  'user.change': administrators('admin'),
  'key.list': ownOnly('read'),
  'key.issue': ownOrSuper('admin'),
  'key.revoke': ownOnly('admin'),
} as const satisfies Readonly<Record<string, Rule>>;

/** What somebody wants to do. */
export type Action = keyof typeof permissions;

/** What may be done by whoever asks, even where everybody else has to sign in. */
export const publicActions: ReadonlySet<Action> = new Set([
  'health.read',
  'docs.read',
  'card.read',
  'task.nudge',
  'repository.notify',
]);

/** How far somebody may do something. Where nobody has to sign in, everybody may do everything. */
export function reachOf(principal: Principal, action: Action): Reach {
  switch (principal.kind) {
    case 'anonymous':
      return 'all';
    case 'nobody':
      return publicActions.has(action) ? 'all' : 'none';
    case 'setup':
      return action === 'user.create' || publicActions.has(action) ? 'all' : 'none';
    case 'user': {
      const rule = permissions[action];
      return hasScope(principal, rule.scope) ? rule[principal.role] : 'none';
    }
  }
}

/** Whether what a user presented may be used for something of this scope. */
export const hasScope = ({ scopes }: UserPrincipal, scope: Scope): boolean => scopes?.includes(scope) ?? true;

/** Why somebody may not do something, in words for them: what of their key or their role is in the way. */
export function whyNotAllowed(principal: Principal, action: Action): string {
  switch (principal.kind) {
    case 'setup':
      return 'this key makes the first user and nothing else: POST /users with it';
    case 'user': {
      const { scope } = permissions[action];
      if (hasScope(principal, scope)) return `your role ${principal.role} does not allow this: ${action}`;
      const has = principal.scopes?.join(', ') || 'none';
      const what = principal.via === 'link' ? 'a link' : 'this API key';
      return `${what} does not allow this: ${action} needs the scope ${scope}, and it has ${has}`;
    }
    default:
      return `not allowed: ${action}`;
  }
}

/** Whether somebody may do something to what belongs to this principal, by its key. */
export function mayReach(principal: Principal, action: Action, owner: string): boolean {
  const reach = reachOf(principal, action);
  return reach === 'all' || (reach === 'own' && principalKey(principal) === owner);
}

/**
 * That somebody may do something. The edge has asked the same before; a service that is reached otherwise asks itself.
 *
 * @param owner - key of the principal that it belongs to or concerns; absent: nobody in particular, so it takes who may do it to all.
 * @throws DomainError `permission_denied` that says what is in the way.
 */
export function requireAllowed(principal: Principal, action: Action, owner = ''): void {
  if (!mayReach(principal, action, owner)) throw permissionDenied(whyNotAllowed(principal, action));
}
