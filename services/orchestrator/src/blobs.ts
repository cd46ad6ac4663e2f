import { DomainError } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { blobPutMs, blobReadMs } from './bounds.ts';
import type { BlobSource } from './driver/handle/ports.ts';

/** Blobs as the store gives them. */
export function storeBlobs(client: Pick<Client<typeof store.StoreService>, 'getBlob'>): BlobSource {
  return {
    read: async (conversationId, digest, signal) => {
      let bytes = new Uint8Array();
      let at = 0;
      const request = { conversationId, digest, held: true };
      for await (const piece of client.getBlob(request, { signal, timeoutMs: blobReadMs })) {
        if (piece.blob !== undefined) bytes = new Uint8Array(Number(piece.blob.size));
        bytes.set(piece.bytes, at);
        at += piece.bytes.byteLength;
      }
      if (at !== bytes.byteLength || at === 0)
        throw new Error(`blob ${digest}: ${at} of ${bytes.byteLength} bytes came`);
      return bytes;
    },
  };
}

/** The call that is about to end with a blob. */
type BlobHolder = { readonly conversationId: string; readonly runId: string; readonly callId: string };

/** Keeps bytes for a call: durable when it resolves; false if the call does not wait for anything any more. */
export type KeepBlob = (holder: BlobHolder, bytes: Uint8Array) => Promise<boolean>;

/** The same in the store. Rejects if that does not take them. */
export function storeKeeps(client: Pick<Client<typeof store.StoreService>, 'putBlob'>): KeepBlob {
  return async (holder, bytes) => {
    try {
      await client.putBlob({ bytes, holder }, { timeoutMs: blobPutMs });
      return true;
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'failed_precondition') return false;
      throw error;
    }
  };
}
