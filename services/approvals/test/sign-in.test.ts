import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { DomainError, decodeEvent, userIdOf } from '@stopgo/core';
import { systemClock } from '@stopgo/log';
import { people, store } from '@stopgo/proto';
import { createInProcessClient, type ServiceImpl } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { peopleService } from '../src/index.ts';

const email = 'ana@x.example';
const issued = 1_700_000_000_000;

/** What is recorded of a sign-in of somebody whose last one was with a token of that time. */
async function recorded(asked: { readonly groups: string[]; readonly issuedAt: number; readonly email?: string }) {
  const appended: (readonly [string, unknown])[] = [];
  const known = { id: userIdOf(email), revision: 2, email, name: 'Ana', active: true, groups: ['finance'] };
  const user = { ...known, lastSignInAt: timestampFromMs(issued), groupsAsOf: timestampFromMs(issued) };
  const nobody = (): Promise<never> => Promise.reject(new DomainError('unavailable', 'nobody answers'));
  const answers: Partial<ServiceImpl<typeof store.StoreService>> = {
    getPerson: async () => ({ user }),
    append: async ({ events }) => {
      for (const event of events) {
        const { fact } = decodeEvent(event, 'user', 3);
        if (fact.case === 'userSignedIn') appended.push([fact.value.groups.join(), fact.value.tokenIssuedAt?.seconds]);
      }
      return { outcome: { case: 'appended', value: { revision: 3 } } } as const;
    },
  };
  const methods = store.StoreService.methods.map(({ localName }) => [localName, nobody]);
  const service = peopleService({
    instance: 'approvals',
    store: createInProcessClient(store.StoreService, { ...Object.fromEntries(methods), ...answers } as never),
    ...{ clock: systemClock, newId: () => '00000000-0000-4000-8000-000000000009', random: () => 0 },
    randomBytes: (count) => new Uint8Array(count),
  });
  const client = createInProcessClient(people.PeopleService, service);
  await client.signIn({
    ...{ email: asked.email ?? email, name: 'Ana', groups: asked.groups },
    tokenIssuedAt: timestampFromMs(asked.issuedAt),
  });
  return appended;
}

test('a sign-in is recorded with when its token was issued, and not at all if a later one was', async () => {
  expect(await recorded({ groups: ['sales'], issuedAt: issued + 1_000 })).toEqual([['sales', 1_700_000_001n]]);
  expect(await recorded({ groups: ['sales'], issuedAt: issued - 1_000 })).toEqual([]);
});

test('an address that becomes another in lower case is nobody’s', async () => {
  const asked = { groups: [], issuedAt: issued + 1_000, email: '\u212aim@x.example' };
  await expect(recorded(asked)).rejects.toThrow(/ASCII/);
});
