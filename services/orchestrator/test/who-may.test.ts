import { randomUUID } from 'node:crypto';
import { nothingEarlier, type Principal, type Role, type Scope } from '@stopgo/core';
import { orchestrator as wire } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { TaskWatch, watchTimes } from '../src/driver/delegations/task-watch.ts';
import { Registry } from '../src/driver/run/registry.ts';
import type { Outbox } from '../src/push/outbox.ts';
import { orchestratorService } from '../src/server.ts';
import { SeveralAgents, Surroundings } from './agents/catalogues.ts';
import { driverWith } from './driver/one-driver.ts';

const user = (id: string, role: Role = 'USER', scopes?: readonly Scope[]): Principal => ({
  ...{ kind: 'user', id, email: `${id}@example.com`, name: id, role, groups: [], via: 'token' },
  ...(scopes === undefined ? {} : { scopes }),
});

/** An orchestrator over a conversation of ana's, and what it has said of who is told of it. */
function orchestratorOf() {
  const around = new Surroundings();
  const agents = new SeveralAgents(around, ['clerk']);
  const { definitions, log } = around;
  const { ports } = driverWith({}, { log, newId: () => around.newId() });
  const registry = new Registry(ports, definitions, 10);
  const load = (id: string) => registry.load(id);
  const watch = new TaskWatch({ ports, definitions, load, resume: (id) => registry.resume(id) }, watchTimes);
  const changes: string[] = [];
  const outbox = {
    check: (settings: unknown) => settings,
    headOf: async () => ({ revision: 7, principal: 'user:ana' }),
    set: async (_id: string, _settings: unknown, _actor: unknown, from: number) => void changes.push(`set ${from}`),
    remove: async () => void changes.push('remove'),
  } as unknown as Outbox;
  const { signal } = new AbortController();
  const contexts = async () => nothingEarlier;
  const service = orchestratorService({
    ...{ registry, watch, definitions, agents, contexts, signal, outbox },
    keepBlob: async () => false,
  });
  return { client: createInProcessClient(wire.OrchestratorService, service), changes, log };
}

const outcomeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'done',
    (error: unknown) => (error as { readonly kind?: string }).kind,
  );

const everybody: readonly (readonly [string, Principal, string, string])[] = [
  ['whose it is', user('ana'), 'done', 'done'],
  ['another user', user('bob'), 'done', 'not_found'],
  ['an administrator', user('bob', 'ADMIN'), 'done', 'done'],
  ['a super administrator', user('bob', 'SUPER_ADMIN'), 'done', 'done'],
  [
    'a key of whose it is, without the scope',
    user('ana', 'USER', ['read', 'approve']),
    'permission_denied',
    'not_found',
  ],
  ['a key of an administrator, without the scope', user('bob', 'ADMIN', ['admin']), 'permission_denied', 'not_found'],
  ['a key with the scope', user('ana', 'USER', ['converse']), 'done', 'done'],
  ['who has not signed in', { kind: 'nobody' }, 'permission_denied', 'not_found'],
  ['the key that sets up', { kind: 'setup', keyId: 'k' }, 'permission_denied', 'not_found'],
  ['anybody, where nobody signs in', { kind: 'anonymous' }, 'done', 'done'],
];

test.each(everybody)('%s begins conversations, and says who is told of one, as far as allowed', async (...row) => {
  const [, principal, creates, tells] = row;
  const { client, changes, log } = orchestratorOf();
  const context = { context: { principal } };
  const conversationId = randomUUID();
  expect(await outcomeOf(client.createConversation({ conversationId }, context))).toBe(creates);
  expect(log.of(conversationId)).toHaveLength(creates === 'done' ? 1 : 0);
  const settings = { url: 'https://example.com/told' };
  expect(await outcomeOf(client.setPush({ conversationId, settings }, context))).toBe(tells);
  expect(await outcomeOf(client.removePush({ conversationId, configId: 'c' }, context))).toBe(tells);
  expect(changes).toEqual(tells === 'done' ? ['set 7', 'remove'] : []);
});
