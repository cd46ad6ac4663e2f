import { createHash } from 'node:crypto';
import {
  blobBytesMax,
  conversationStream,
  failedPrecondition,
  invalidArgument,
  isBlobDigest,
  isUuid,
  mayStillNameBlobs,
  notFound,
  unavailable,
} from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import type { BlobHolder, BlobStore } from './blob-store.ts';
import { envelopeTextCharactersMax, waitingBlobBytesMax } from './bounds.ts';
import { Problems } from './problems.ts';
import type { Views } from './views.ts';

type BlobMethods = Pick<ServiceImpl<typeof store.StoreService>, 'putBlob' | 'getBlob' | 'verifyBlobs'>;

const retryAfterMs = 1_000;

/** What the service does with blobs, over whichever keeps them. */
export function blobService(blobs: BlobStore, views: Views): BlobMethods {
  let waitingBytes = 0;
  /** It may be named, or removed, while it is looked at: so the names come after the holders, and the blob itself last. */
  const isLeftOver = async (digest: string, signal: AbortSignal): Promise<boolean> => {
    if (views.isBlobNamed(digest) !== false || (await blobs.holders(digest)).length > 0) return false;
    await views.caughtUp(signal);
    return views.isBlobNamed(digest) === false && (await blobs.size(digest)) !== undefined;
  };
  return {
    async putBlob({ bytes, holder }, { signal }) {
      if (bytes.byteLength === 0 || bytes.byteLength > blobBytesMax)
        throw invalidArgument(`a blob has 1 to ${blobBytesMax} bytes, not ${bytes.byteLength}`);
      const held = checkedHolder(holder);
      if (waitingBytes > 0 && waitingBytes + bytes.byteLength > waitingBlobBytesMax)
        throw unavailable('too many blobs wait to be stored; repeat later', {}, { retryAfterMs });
      waitingBytes += bytes.byteLength;
      try {
        await views.caughtUp(signal);
        const state = views.state(held.conversationId);
        if (state === undefined || !mayStillNameBlobs(state, held.runId, held.callId))
          throw failedPrecondition(
            `the call ${held.callId} of ${conversationStream(held.conversationId)} is not under way`,
          );
        const digest = createHash('sha256').update(bytes).digest('hex');
        await blobs.put(digest, bytes, held);
        return { digest };
      } finally {
        waitingBytes -= bytes.byteLength;
      }
    },

    async *getBlob({ conversationId, digest, held }, { signal }) {
      if (!isBlobDigest(digest)) throw notFound(`no event names a blob ${JSON.stringify(digest.slice(0, 100))}`);
      await views.caughtUp(signal);
      const named = views.blobNamed(conversationId, digest);
      const isOurs = (holder: BlobHolder) => holder.conversationId === conversationId;
      if (named === undefined && !(held && (await blobs.holders(digest)).some(isOurs)))
        throw notFound(`no event of conversation ${conversationId} names a blob ${digest}`);
      const size = await blobs.size(digest);
      if (size === undefined) throw notFound(`the blob ${digest} is not kept any more; run \`stopgo verify\``);
      yield { blob: named ?? { digest, size: BigInt(size) } };
      for await (const bytes of blobs.read(digest, signal)) yield { bytes };
    },

    async verifyBlobs(_, { signal }) {
      const problems = new Problems();
      let count = 0;
      for await (const digests of blobs.digests()) {
        signal.throwIfAborted();
        if (problems.full) break;
        count += digests.length;
        for (const digest of digests)
          if (await isLeftOver(digest, signal))
            problems.add(`blob ${digest}: it is kept, but no event names it and no call holds it`);
      }
      return { blobs: count, problems: [...problems.found] };
    },
  };
}

function checkedHolder(holder: store.BlobHolder | undefined): BlobHolder {
  const { conversationId = '', runId = '', callId = '' } = holder ?? {};
  const fits = (text: string) => text.length > 0 && text.length <= envelopeTextCharactersMax;
  if (!isUuid(conversationId) || !fits(runId) || !fits(callId))
    throw invalidArgument('a blob is put for a call: its conversation, run and call must be named');
  return { conversationId, runId, callId };
}
