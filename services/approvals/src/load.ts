import { DomainError, decodeSnapshot } from '@stopgo/core';
import { type Loaded, storeLog } from '@stopgo/log';
import type { store as wire } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

/** The conversation that holds an approval. Rejects with `not_found` if none does. */
export async function loadByApproval(
  store: Client<typeof wire.StoreService>,
  approvalId: string,
  keys: readonly string[],
  mayLag: boolean,
): Promise<Loaded> {
  const answer = await store
    .load({ by: { case: 'approvalId', value: approvalId }, idempotencyKeys: [...keys], mayLag })
    .catch((error: unknown) => {
      if (error instanceof DomainError && error.kind === 'not_found')
        throw new DomainError('not_found', `no conversation found with approval UUID: ${approvalId}`, { cause: error });
      throw error;
    });
  const { conversationId } = answer;
  const state = decodeSnapshot(answer.snapshot, answer.foldVersion);
  if (state === undefined) return storeLog(store).load(conversationId, keys);
  const knownKeys = answer.knownKeys.map(({ idempotencyKey: key, requestDigest, firstRevision, lastRevision }) => ({
    key,
    requestDigest,
    firstRevision,
    lastRevision,
  }));
  return { conversationId, state, knownKeys };
}
