import { toBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  DomainError,
  encodeFact,
  encodeSnapshot,
  fact,
  foldVersion,
  initialState,
  linkKey,
  linkStream,
  schemaVersion,
  type UserPrincipal,
} from '@stopgo/core';
import { clientKey, systemClock } from '@stopgo/log';
import { approvals, create, envelope, orchestrator, store } from '@stopgo/proto';
import { createInProcessClient, type ServiceImpl } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { approvalsService } from '../src/index.ts';

const [conversationId, approvalId] = ['1', '2'].map((last) => `00000000-0000-4000-8000-00000000000${last}`) as [
  string,
  string,
];
const link = 'a'.repeat(64);
const key = clientKey({ key: linkKey(link), requestDigest: '' });
const now = 1_000_000;
const ana: UserPrincipal = {
  ...({ kind: 'user', id: 'ana', email: 'ana@x.example', name: 'Ana', role: 'ADMIN', groups: [] } as const),
  via: 'link',
};

/** What becomes of a decision by a link whose time is over at `end`. */
async function decided(end: number, isSpent: boolean): Promise<string | undefined> {
  const away = Object.fromEntries(
    [...store.StoreService.methods, ...orchestrator.OrchestratorService.methods].map(({ localName }) => [
      ...[localName, () => Promise.reject(new DomainError('unavailable', 'nobody answers'))],
    ]),
  );
  const known = { idempotencyKey: key, requestDigest: 'of another request', firstRevision: 1, lastRevision: 1 };
  const state = { conversationId, snapshot: encodeSnapshot(initialState), foldVersion };
  const made = fact('linkMade', { approvalId, conversationId, userId: 'ana', expiresAt: timestampFromMs(end) });
  const stream = linkStream(link);
  const outer = { eventId: 'e', stream, revision: 1, schemaVersion, payload: encodeFact(made) };
  const event = { envelope: toBinary(envelope.EnvelopeSchema, create(envelope.EnvelopeSchema, outer)) };
  const impl = {
    ...away,
    load: async () => ({ ...state, knownKeys: isSpent ? [known] : [] }),
    readStream: async () => ({ events: [event], headRevision: 1 }),
  };
  const given = {
    store: createInProcessClient(store.StoreService, impl as unknown as ServiceImpl<typeof store.StoreService>),
    orchestrator: createInProcessClient(
      orchestrator.OrchestratorService,
      away as unknown as ServiceImpl<typeof orchestrator.OrchestratorService>,
    ),
    ...{ instance: 'approvals', clock: { ...systemClock, now: () => now }, newId: () => 'id', random: () => 0 },
  };
  const client = createInProcessClient(approvals.ApprovalsService, approvalsService(given));
  const request = { approvalId, kind: approvals.DecisionKind.APPROVE, link };
  return client.resolve(request, { context: { principal: ana } }).then(
    () => undefined,
    (error: unknown) => (error as DomainError).details.reason ?? (error as DomainError).kind,
  );
}

test('a link decides nothing from its end on; who has used it is told that it is used, then as before', async () => {
  expect(await decided(now, false)).toBe('link_expired');
  expect(await decided(now + 1, false)).not.toBe('link_expired');
  expect(await decided(now, true)).toBe('link_spent');
  expect(await decided(now + 1, true)).toBe('link_spent');
});
