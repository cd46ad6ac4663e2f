import { hasScope, type Me } from '../state/me.ts';
import type { ApiKey, Role, User } from './types.ts';

export const roleWords: Readonly<Record<Role, string>> = {
  USER: 'User',
  ADMIN: 'Administrator',
  SUPER_ADMIN: 'Super administrator',
};

export const roleMeans: Readonly<Record<Role, string>> = {
  USER: 'Works with their own conversations, and decides on what those ask.',
  ADMIN: 'Does so with all conversations, accepts tools, and makes users.',
  SUPER_ADMIN: 'Does all of that, and makes administrators.',
};

// What is offered. The platform asks the same once more.

/** The roles that somebody may give. */
export function rolesGivenBy(me: Me): readonly Role[] {
  if (me.kind !== 'user' || !hasScope(me, 'admin')) return [];
  return me.role === 'SUPER_ADMIN' ? ['USER', 'ADMIN', 'SUPER_ADMIN'] : me.role === 'ADMIN' ? ['USER'] : [];
}

export const isSelf = (me: Me, user: User): boolean => me.kind === 'user' && me.id === user.id;

/** Whether somebody may change this user. */
export const mayChange = (me: Me, user: User): boolean => rolesGivenBy(me).includes(user.role);

/** Whether somebody may make a key for this user: their own, or the first one of somebody who has never come in. */
export function mayIssue(me: Me, user: User, keys: readonly ApiKey[]): boolean {
  if (me.kind !== 'user' || !hasScope(me, 'admin')) return false;
  if (me.id === user.id) return true;
  const hasCome = user.last_login_at !== null || keys.some(({ last_used_at }) => last_used_at !== null);
  return me.role === 'SUPER_ADMIN' && !hasCome && !keys.some(isInForce);
}

export const mayRevoke = (me: Me, user: User): boolean =>
  me.kind === 'user' && hasScope(me, 'admin') && (me.id === user.id || mayChange(me, user));

/** Whether a key is taken now. */
export const isInForce = ({ revoked_at, expires_at }: ApiKey): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > Date.now());
