import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { blobReadMs } from './bounds.ts';
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
