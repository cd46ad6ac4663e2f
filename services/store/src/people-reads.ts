import type { store } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import { listLimitDefault } from './bounds.ts';
import { encodeCursor, pageOf } from './paging.ts';
import type { Views } from './views.ts';

type PeopleReads = Pick<ServiceImpl<typeof store.StoreService>, 'getPerson' | 'listUsers' | 'listApiKeys'>;

/**
 * Users and their API keys, never less than was acknowledged before the call: what is granted where there is nobody yet, or where
 * somebody has no key, rests on that.
 */
export const peopleReads = (
  views: Pick<Views, 'caughtUp' | 'user' | 'users' | 'countUsers' | 'apiKey' | 'apiKeys'>,
): PeopleReads => ({
  async getPerson({ by }, { signal }) {
    await views.caughtUp(signal);
    const apiKey = by.case === 'apiKeyId' ? views.apiKey(by.value) : undefined;
    const user = by.case === 'userId' ? views.user(by.value) : apiKey && views.user(apiKey.userId);
    return { ...(user && { user }), ...(apiKey && { apiKey }) };
  },

  async listUsers(request, { signal }) {
    const page = pageOf('users', request, listLimitDefault);
    await views.caughtUp(signal);
    const { rows, next } = views.users(page);
    return { users: [...rows], nextCursor: encodeCursor('users', next), total: views.countUsers() };
  },

  async listApiKeys(request, { signal }) {
    const page = pageOf('api keys', request, listLimitDefault);
    await views.caughtUp(signal);
    const { rows, next } = views.apiKeys(request.userId, page);
    return { apiKeys: [...rows], nextCursor: encodeCursor('api keys', next) };
  },
});
