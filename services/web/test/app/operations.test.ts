import { ApiError } from '@stopgo/client';
import { expect, test } from 'vitest';
import { changedParts } from '../../app/operations/definition-parts.ts';
import { problemsOf } from '../../app/operations/field-problems.ts';
import { endsOffered } from '../../app/operations/new-key.tsx';
import { isInForce, mayChange, mayIssue, mayRevoke, rolesGivenBy } from '../../app/operations/roles.ts';
import { tilesOf } from '../../app/operations/tiles.ts';
import type { ApiKey, ToolServer, User } from '../../app/operations/types.ts';
import type { Me } from '../../app/state/me.ts';

test('of a definition the parts that differ are shown, a text as it is and all else as JSON', () => {
  const before = { name: 'a', description: 'one\ntwo', annotations: { readOnlyHint: true }, zeta: 1 };
  const after = { name: 'a', description: 'one\nthree', annotations: { readOnlyHint: true }, alpha: [] };
  expect(changedParts(before, after)).toEqual([
    { name: 'Description', before: 'one\ntwo', after: 'one\nthree' },
    { name: 'alpha', before: undefined, after: '[]' },
    { name: 'zeta', before: '1', after: undefined },
  ]);
  // A name that every object has is no member.
  expect(changedParts(undefined, { toString: 'x' } as never)).toEqual([
    { name: 'toString', before: undefined, after: 'x' },
  ]);
});

test.each([
  ['invalid request body: "name" is required', {}, 'name'],
  ['expires_at must be in the future', { field: 'expires_at' }, 'expires_at'],
  ['scopes: there is no "x"', {}, 'scopes'],
])('%s is told at its field', (error, more, field) => {
  const { fields, other } = problemsOf(new ApiError(400, { error, ...more }), ['name', 'scopes', 'expires_at']);
  expect([Object.keys(fields), other]).toEqual([[field], '']);
  expect(fields[field]).not.toMatch(/^scopes: /i);
});

test('what is about no field of the form is told below it', () => {
  const { fields, other } = problemsOf(new ApiError(403, { error: 'names are not for you' }), ['name']);
  expect([fields, other]).toEqual([{}, 'Names are not for you.']);
});

const me = (role: 'USER' | 'ADMIN' | 'SUPER_ADMIN', scopes?: readonly string[]): Me => ({
  ...{ kind: 'user', id: 'me', role },
  scopes,
});
const user = (id: string, role: User['role'], last_login_at: string | null = null): User => ({
  ...{ id, email: `${id}@x.example`, name: id, role, active: true, groups: [], created_at: '', last_login_at },
});
const key = (more: Partial<ApiKey> = {}): ApiKey => ({
  ...{ id: 'k', name: 'k', prefix: 'sgo_abcd', scopes: [], created_at: '' },
  ...{ expires_at: null, revoked_at: null, last_used_at: null, ...more },
});

test('what is offered of users is what the role allows', () => {
  expect(rolesGivenBy(me('USER'))).toEqual([]);
  expect(rolesGivenBy(me('ADMIN'))).toEqual(['USER']);
  expect(rolesGivenBy(me('SUPER_ADMIN'))).toEqual(['USER', 'ADMIN', 'SUPER_ADMIN']);
  expect(rolesGivenBy(me('SUPER_ADMIN', ['read']))).toEqual([]);
  expect(mayChange(me('ADMIN'), user('other', 'ADMIN'))).toBe(false);
  expect(mayChange(me('ADMIN'), user('other', 'USER'))).toBe(true);
});

test('a key of their own everybody makes, and that of somebody else a super administrator, as long as they never came', () => {
  expect(mayIssue(me('USER'), user('me', 'USER'), [])).toBe(true);
  expect(mayIssue(me('USER', ['read']), user('me', 'USER'), [])).toBe(false);
  expect(mayIssue(me('ADMIN'), user('other', 'USER'), [])).toBe(false);
  expect(mayIssue(me('SUPER_ADMIN'), user('other', 'USER'), [])).toBe(true);
  expect(mayIssue(me('SUPER_ADMIN'), user('other', 'USER', '2026-01-01T00:00:00Z'), [])).toBe(false);
  expect(mayIssue(me('SUPER_ADMIN'), user('other', 'USER'), [key()])).toBe(false);
  expect(mayIssue(me('SUPER_ADMIN'), user('other', 'USER'), [key({ revoked_at: 'x' })])).toBe(true);
  expect(mayIssue(me('SUPER_ADMIN'), user('other', 'USER'), [key({ revoked_at: 'x', last_used_at: 'x' })])).toBe(false);
  expect(mayRevoke(me('USER'), user('me', 'USER'))).toBe(true);
  expect(mayRevoke(me('ADMIN'), user('other', 'ADMIN'))).toBe(false);
  expect(mayRevoke(me('ADMIN'), user('other', 'USER'))).toBe(true);
});

test('a key that is made with one that ends does not end later', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const offered = (until: string | null | undefined) => endsOffered(until, now).map(([value]) => value);
  expect(offered(null)).toEqual(['30', '90', '365', 'never']);
  expect(offered('2026-04-01T00:00:00Z')).toEqual(['30', 'with']);
  expect(offered('2026-01-02T00:00:00Z')).toEqual(['with']);
});

test('a key is taken until it ends or is revoked', () => {
  expect(isInForce(key())).toBe(true);
  expect(isInForce(key({ expires_at: '2000-01-01T00:00:00Z' }))).toBe(false);
  expect(isInForce(key({ expires_at: '2999-01-01T00:00:00Z' }))).toBe(true);
  expect(isInForce(key({ revoked_at: '2000-01-01T00:00:00Z' }))).toBe(false);
});

test('at a glance only what the platform has said is shown', () => {
  const nothing = { health: undefined, alarms: undefined, servers: undefined, waits: undefined, held: undefined };
  expect(tilesOf(nothing)).toEqual([]);
  const server = (state: string) => ({ name: state, bridge: 'b', state }) as ToolServer;
  const bridges = [{ answers: true }];
  const tile = (...states: string[]) =>
    tilesOf({ ...nothing, servers: { servers: states.map(server), bridges } }).map(({ words, tone }) => [words, tone]);
  expect(tile('ready', 'ready')).toEqual([['All 2 ready', 'good']]);
  expect(tile('ready', 'backoff', 'starting')).toEqual([['1 of 3 ready', 'bad']]);
  expect(tile('starting')).toEqual([['0 of 1 ready', 'wait']]);
  const processes = [{ service: 'store', answers: false }];
  expect(tilesOf({ ...nothing, alarms: { alarms: [], processes } })).toEqual([
    { name: 'Alarms', words: 'None', tone: 'good' },
    { name: 'The platform', words: '0 of 1 answer', tone: 'bad' },
  ]);
});
