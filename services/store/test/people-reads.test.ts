import { create, type store, views } from '@stopgo/proto';
import type { CallContext } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { peopleReads } from '../src/people-reads.ts';

test('people are read once all is seen that was acknowledged: who is there is never missed', async () => {
  let isCaughtUp = false;
  const one = <T>(row: T) => ({ rows: isCaughtUp ? [row] : [], next: undefined });
  const user = create(views.UserSchema, { id: 'u' });
  const apiKey = create(views.ApiKeySchema, { id: 'k', userId: 'u' });
  const reads = peopleReads({
    caughtUp: async () => {
      isCaughtUp = true;
    },
    user: () => (isCaughtUp ? user : undefined),
    users: () => one(user),
    countUsers: () => (isCaughtUp ? 1 : 0),
    apiKey: () => (isCaughtUp ? apiKey : undefined),
    apiKeys: () => one(apiKey),
  });
  const context = { signal: new AbortController().signal } as CallContext;
  const page = { limit: 1, cursor: '' };
  const by = { case: 'apiKeyId', value: 'k' } as const;
  expect(await reads.getPerson({ by } as store.GetPersonRequest, context)).toEqual({ user, apiKey });
  isCaughtUp = false;
  expect(await reads.listUsers(page as store.ListUsersRequest, context)).toMatchObject({ users: [user], total: 1 });
  isCaughtUp = false;
  expect(await reads.listApiKeys({ ...page, userId: 'u' } as store.ListApiKeysRequest, context)).toMatchObject({
    apiKeys: [apiKey],
  });
});
