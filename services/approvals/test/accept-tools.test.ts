import { create, toBinary } from '@bufbuild/protobuf';
import { decodeRecorded, fact, newEvents, pinsStream, type RecordedFact } from '@stopgo/core';
import { systemClock } from '@stopgo/log';
import { approvals, envelope, orchestrator, store } from '@stopgo/proto';
import { createInProcessClient, type ServiceImpl } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { approvalsService } from '../src/index.ts';

const identity = 'a'.repeat(64);
const stream = pinsStream(identity);
const frame = { now: 1, actor: { kind: 'system', id: 'bridge' }, causationId: '', correlationId: '' } as const;
const pin = (digit: string) => digit.repeat(64);
const actor = { kind: envelope.ActorKind.APPROVER, id: 'ada' };

const nobody = (): Promise<never> => Promise.reject(new Error('nobody answers'));
const nobodyOf = (methods: readonly { readonly localName: string }[]) =>
  Object.fromEntries(methods.map(({ localName }) => [localName, nobody]));

/** A service over a log in memory that holds one server's stream. */
function service(isMet = true) {
  const events: envelope.Recorded[] = [];
  const add = (all: readonly store.NewEvent[]) => {
    for (const { $typeName: _, ...event } of all)
      events.push(
        create(envelope.RecordedSchema, {
          envelope: toBinary(
            envelope.EnvelopeSchema,
            create(envelope.EnvelopeSchema, { ...event, stream, revision: events.length + 1 }),
          ),
        }),
      );
  };
  if (isMet) add(newEvents([fact('toolServerMet', { identity, server: 's', tools: [] })], frame, ['e']));
  const impl: Partial<ServiceImpl<typeof store.StoreService>> = {
    ...nobodyOf(store.StoreService.methods),
    readStream: async ({ fromRevision }) => ({
      events: events.slice(Math.max(0, fromRevision - 1)),
      headRevision: events.length,
    }),
    append: async (request) => {
      if (request.expectedRevision !== events.length)
        return { outcome: { case: 'conflict', value: { currentRevision: events.length } } };
      add(request.events);
      return { outcome: { case: 'appended', value: { revision: events.length } } };
    },
  };
  const away = nobodyOf(orchestrator.OrchestratorService.methods) as unknown;
  const none = away as ServiceImpl<typeof orchestrator.OrchestratorService>;
  const client = createInProcessClient(
    approvals.ApprovalsService,
    approvalsService({
      instance: 'approvals',
      store: createInProcessClient(store.StoreService, impl as ServiceImpl<typeof store.StoreService>),
      orchestrator: createInProcessClient(orchestrator.OrchestratorService, none),
      clock: systemClock,
      newId: () => '00000000-0000-4000-8000-000000000009',
      random: () => 0,
    }),
  );
  return { client, recorded: (): RecordedFact[] => events.map(decodeRecorded) };
}

const admin = { kind: 'user', id: '1', email: 'a@x', name: 'a', role: 'ADMIN', groups: [], via: 'token' } as const;

test('what somebody accepts is recorded with their name, and once', async () => {
  const { client, recorded } = service();
  const request = { servers: [{ identity, tools: [{ name: 'erase', pin: pin('b') }] }], actor };
  expect(await client.acceptTools(request, { context: { principal: admin } })).toMatchObject({ revisions: [2] });
  expect(await client.acceptTools(request)).toMatchObject({ revisions: [2] });
  expect(recorded().slice(1)).toMatchObject([
    {
      actor: { kind: 'approver', id: 'ada' },
      fact: { case: 'toolsAccepted', value: { tools: [{ name: 'erase', pin: pin('b') }] } },
    },
  ]);
});

test.each([
  ['nothing', []],
  ['a server that is no digest', [{ identity: 'x', tools: [{ name: 'erase', pin: pin('b') }] }]],
  ['a definition that is no digest', [{ identity, tools: [{ name: 'erase', pin: 'b' }] }]],
  ['a tool without a name', [{ identity, tools: [{ name: '', pin: pin('b') }] }]],
])('%s is refused', async (_, servers) => {
  const { client, recorded } = service();
  await expect(client.acceptTools({ servers, actor })).rejects.toMatchObject({ kind: 'invalid_argument' });
  expect(recorded()).toHaveLength(1);
});

test('a server that no bridge has met has nothing to accept', async () => {
  const { client, recorded } = service(false);
  const servers = [{ identity, tools: [{ name: 'erase', pin: pin('b') }] }];
  await expect(client.acceptTools({ servers, actor })).rejects.toMatchObject({ kind: 'not_found' });
  expect(recorded()).toEqual([]);
});

test.each([
  ['a user', { ...admin, role: 'USER' }],
  ['nobody', { kind: 'nobody' }],
  ['a key for approvals alone', { ...admin, scopes: ['approve'], via: 'api_key' }],
] as const)('%s accepts nothing', async (_, principal) => {
  const { client, recorded } = service();
  const servers = [{ identity, tools: [{ name: 'erase', pin: pin('b') }] }];
  const refused = client.acceptTools({ servers, actor }, { context: { principal } });
  await expect(refused).rejects.toMatchObject({ kind: 'permission_denied' });
  expect(recorded()).toHaveLength(1);
});
