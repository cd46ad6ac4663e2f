import { contextTextsBytesMax, contextTextsMax, type EarlierTexts, principalKey } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { CallContext, Client } from '@stopgo/rpc';

/** What was said in a context of whoever calls, up to now; nothing of one that is new. */
export type Contexts = (contextId: string, caller: Pick<CallContext, 'principal' | 'signal'>) => Promise<EarlierTexts>;

/** Contexts as the store shows them. */
export const storeContexts =
  (client: Client<typeof store.StoreService>): Contexts =>
  async (contextId, { principal, signal }) => {
    const asked = {
      contextId,
      principal: principalKey(principal),
      textsMax: contextTextsMax,
      bytesMax: contextTextsBytesMax,
    };
    const { texts, leftOut } = await client.readContext(asked, { signal });
    return { texts, leftOut };
  };
