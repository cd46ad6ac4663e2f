import type { Principal, Role, Scope } from '@stopgo/core';
import { registry as wire } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import type { KeptRepository } from '../src/kept-repository.ts';
import { registryService } from '../src/service.ts';
import { MemoryLog } from './support/memory-log.ts';

const user = (role: Role, scopes?: readonly Scope[]): Principal => ({
  ...{ kind: 'user', id: 'ana', email: 'ana@example.com', name: 'Ana', role, groups: [], via: 'token' },
  ...(scopes === undefined ? {} : { scopes }),
});

/** A registry of one repository, and how often it was synced, added, changed or removed. */
function registryOf() {
  const acts: string[] = [];
  const team = {
    options: { name: 'team', gitUrl: 'https://git.example.com/team', branch: 'main', isRoot: true, isActive: true },
    record: { state: { commit: '', syncedAt: 0, failure: undefined } },
    offered: () => ({ agents: new Map(), errors: [] }),
    sync: async () => void acts.push('sync'),
  } as unknown as KeptRepository;
  const act = (name: string) => async () => {
    acts.push(name);
    return team;
  };
  const repositories = { all: () => [team], add: act('add'), change: act('change'), remove: act('remove') };
  const service = registryService({
    repositories: repositories as unknown as Parameters<typeof registryService>[0]['repositories'],
    ...{ definitions: new MemoryLog().ports('registry'), model: 'offline', turnsMax: 10 },
  });
  return { client: createInProcessClient(wire.RegistryService, service), acts };
}

const everybody: readonly (readonly [string, Principal, boolean])[] = [
  ['a user', user('USER'), false],
  ['an administrator', user('ADMIN'), true],
  ['a super administrator', user('SUPER_ADMIN'), true],
  ['a key of an administrator, without the scope', user('ADMIN', ['read', 'converse', 'approve']), false],
  ['a key of an administrator, with the scope', user('ADMIN', ['admin']), true],
  ['a key of a user, with the scope', user('USER', ['admin']), false],
  ['who has not signed in', { kind: 'nobody' }, false],
  ['the key that sets up', { kind: 'setup', keyId: 'k' }, false],
  ['anybody, where nobody signs in', { kind: 'anonymous' }, true],
];

test.each(everybody)('%s has repositories synced and changed, or is refused', async (_who, principal, may) => {
  const { client, acts } = registryOf();
  const context = { context: { principal } };
  const calls = [
    client.syncRepository({ name: 'team' }, context),
    client.addRepository({ name: 'team', gitUrl: 'https://git.example.com/team' }, context),
    client.changeRepository({ name: 'team', change: {} }, context),
    client.removeRepository({ name: 'team' }, context),
  ];
  for (const call of await Promise.allSettled(calls))
    expect(call).toMatchObject(may ? { status: 'fulfilled' } : { reason: { kind: 'permission_denied' } });
  expect(acts).toEqual(may ? ['sync', 'add', 'change', 'remove'] : []);
});
