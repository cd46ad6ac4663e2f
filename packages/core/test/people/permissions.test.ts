import { describe, expect, test } from 'vitest';
import {
  type Action,
  mayReach,
  permissions,
  publicActions,
  type Reach,
  reachOf,
  whyNotAllowed,
} from '../../src/people/permissions.ts';
import { anonymous, type Scope, scopes, type UserPrincipal } from '../../src/people/principal.ts';
import { type Role, roles } from '../../src/people/roles.ts';

/** What each role may do, written down a second time: a cell that changes has to be changed here as well. */
const table: Readonly<Record<Action, readonly [user: Reach, admin: Reach, superAdmin: Reach, scope: Scope]>> = {
  'health.read': ['all', 'all', 'all', 'read'],
  'docs.read': ['all', 'all', 'all', 'read'],
  'card.read': ['all', 'all', 'all', 'read'],
  'card.read_extended': ['all', 'all', 'all', 'read'],
  'tools.list': ['all', 'all', 'all', 'read'],
  'servers.list': ['all', 'all', 'all', 'read'],
  'tools.accept': ['none', 'all', 'all', 'admin'],
  'alarms.list': ['none', 'all', 'all', 'admin'],
  'waits.list': ['none', 'all', 'all', 'admin'],
  'agents.read': ['all', 'all', 'all', 'read'],
  'agent.pin': ['none', 'all', 'all', 'admin'],
  'memory.read': ['all', 'all', 'all', 'read'],
  'memory.change': ['none', 'all', 'all', 'admin'],
  'repository.sync': ['none', 'all', 'all', 'admin'],
  'repository.manage': ['none', 'all', 'all', 'admin'],
  'repository.notify': ['all', 'all', 'all', 'converse'],
  'connection.list': ['all', 'all', 'all', 'read'],
  'connection.change': ['all', 'all', 'all', 'converse'],
  'conversation.create': ['all', 'all', 'all', 'converse'],
  'conversation.list': ['own', 'all', 'all', 'read'],
  'conversation.read': ['own', 'all', 'all', 'read'],
  'conversation.follow': ['own', 'all', 'all', 'read'],
  'message.send': ['own', 'all', 'all', 'converse'],
  'run.cancel': ['own', 'all', 'all', 'converse'],
  'step.cancel': ['own', 'all', 'all', 'converse'],
  'run.pause': ['own', 'all', 'all', 'converse'],
  'run.resume': ['own', 'all', 'all', 'converse'],
  'input.provide': ['own', 'all', 'all', 'converse'],
  'push.set': ['own', 'all', 'all', 'converse'],
  'push.read': ['own', 'all', 'all', 'read'],
  'task.nudge': ['all', 'all', 'all', 'converse'],
  'approval.list': ['own', 'all', 'all', 'read'],
  'approval.read': ['own', 'all', 'all', 'read'],
  'approval.resolve': ['own', 'all', 'all', 'approve'],
  'user.list': ['none', 'all', 'all', 'admin'],
  'user.read': ['own', 'all', 'all', 'read'],
  'user.create': ['none', 'all', 'all', 'admin'],
  'user.change': ['none', 'all', 'all', 'admin'],
  'key.list': ['own', 'all', 'all', 'read'],
  'key.issue': ['own', 'own', 'all', 'admin'],
  'key.revoke': ['own', 'all', 'all', 'admin'],
};

const actions = Object.keys(permissions) as Action[];
const user = (role: Role, given?: readonly Scope[]): UserPrincipal => ({
  ...{ kind: 'user', id: 'a', email: 'a@example.com', name: 'A', role, groups: [], via: 'token' },
  ...(given === undefined ? {} : { scopes: given }),
});

describe.each(actions)('%s', (action) => {
  const [ofUser, ofAdmin, ofSuperAdmin, scope] = table[action];
  const cells = { USER: ofUser, ADMIN: ofAdmin, SUPER_ADMIN: ofSuperAdmin };

  test.each(roles)('%s', (role) => {
    expect(reachOf(user(role), action)).toBe(cells[role]);
  });

  test('an API key needs its scope, and no other helps', () => {
    expect(reachOf(user('SUPER_ADMIN', [scope]), action)).toBe('all');
    const others = scopes.filter((one) => one !== scope);
    expect(reachOf(user('SUPER_ADMIN', others), action)).toBe('none');
    expect(reachOf(user('SUPER_ADMIN', []), action)).toBe('none');
  });
});

test('what is own is what belongs to the key of the principal', () => {
  expect(mayReach(user('USER'), 'conversation.read', 'user:a')).toBe(true);
  expect(mayReach(user('USER'), 'conversation.read', 'user:b')).toBe(false);
  expect(mayReach(user('USER'), 'conversation.read', 'anonymous')).toBe(false);
  expect(mayReach(user('ADMIN'), 'conversation.read', 'user:b')).toBe(true);
  expect(mayReach(user('USER'), 'user.create', 'user:a')).toBe(false);
});

test('where nobody has to sign in everybody may do everything; with the key that sets up, only that', () => {
  const setup = { kind: 'setup', keyId: 'k' } as const;
  expect(actions.filter((action) => reachOf(anonymous, action) !== 'all')).toEqual([]);
  expect(actions.filter((action) => reachOf(setup, action) === 'all')).toEqual([
    ...actions.filter((action) => publicActions.has(action)),
    'user.create',
  ]);
});

test('who may not do something is told what of their key or their role is in the way', () => {
  const key = (...some: Scope[]): UserPrincipal => ({ ...user('USER', some), via: 'api_key' });
  expect(whyNotAllowed(key('read', 'converse'), 'approval.resolve')).toBe(
    'this API key does not allow this: approval.resolve needs the scope approve, and it has read, converse',
  );
  expect(whyNotAllowed(key(), 'tools.list')).toBe(
    'this API key does not allow this: tools.list needs the scope read, and it has none',
  );
  expect(whyNotAllowed({ ...key('approve'), via: 'link' }, 'user.create')).toMatch(/^a link does not allow this: /);
  // With the scope it is the role.
  for (const one of [user('USER'), key('admin')])
    expect(whyNotAllowed(one, 'user.create')).toBe('your role USER does not allow this: user.create');
  expect(whyNotAllowed(anonymous, 'user.create')).toBe('not allowed: user.create');
});
