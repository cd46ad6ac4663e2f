import { type BlobRef, blobBytesMax, blobNameCharactersMax, blobsPerResultMax } from '@stopgo/core';
import { type Clock, untilAnswered } from '@stopgo/log';
import type { mcp, store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { abortsWithin, type Logger } from '@stopgo/runtime';
import { reasonOf } from '../failures.ts';
import type { Attachment } from '../results/attachments.ts';
import { mediaTypeOf } from '../results/media-type.ts';

/** Keeps what results hold beside text. */
export type BlobKeeper = {
  /**
   * Has the attachments of a result kept, in order, and names them. They are durable when it resolves. What cannot be kept is left
   * out, and the log is told; the line in the text of the result still tells of it. `clean` takes out of texts what must not be kept.
   * Never rejects.
   */
  keep(
    attachments: readonly Attachment[],
    key: Pick<mcp.CallKey, 'conversationId' | 'runId' | 'callId'>,
    clean: (text: string) => string,
  ): Promise<readonly BlobRef[]>;
};

/** What keeping needs. */
export type BlobKeeperPorts = {
  readonly store: Pick<Client<typeof store.StoreService>, 'putBlob'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly bounds: { readonly blobAskMs: number; readonly blobWaitMs: number };
};

/** Blobs as the store keeps them, one after the other, so that a result is in memory once. */
export function storeBlobs({ store, clock, random, log, bounds }: BlobKeeperPorts): BlobKeeper {
  const { blobAskMs: timeoutMs, blobWaitMs } = bounds;
  return {
    keep: async (attachments, { conversationId, runId, callId }, clean) => {
      const kept: BlobRef[] = [];
      const end = abortsWithin(blobWaitMs);
      for (const { base64, declaredType, name } of attachments) {
        const bytes = Buffer.from(base64, 'base64');
        const leaveOut = (reason: string) =>
          log.warn('an attachment of a tool result is not kept', { call: callId, bytes: bytes.byteLength, reason });
        const problem = problemOf(bytes, kept.length, clean);
        if (problem !== undefined) {
          if (problem !== '') leaveOut(problem);
          continue;
        }
        try {
          const holder = { conversationId, runId, callId };
          const put = () => store.putBlob({ bytes, holder }, { signal: end, timeoutMs });
          const { digest } = await untilAnswered(put, clock, random, end);
          const shown = clean(name).slice(0, blobNameCharactersMax);
          kept.push({
            digest,
            mediaType: mediaTypeOf(bytes, clean(declaredType)),
            size: bytes.byteLength,
            name: shown,
          });
        } catch (error) {
          leaveOut(reasonOf(error));
        }
      }
      return kept;
    },
  };
}

/** Why some bytes are not kept; empty if there are none. */
function problemOf(bytes: Buffer, kept: number, clean: (text: string) => string): string | undefined {
  if (bytes.byteLength === 0) return '';
  if (bytes.byteLength > blobBytesMax) return `it has more than ${blobBytesMax} bytes`;
  if (kept >= blobsPerResultMax) return `a result keeps at most ${blobsPerResultMax}`;
  const text = bytes.toString('latin1');
  return clean(text) === text ? undefined : 'it holds a token or a key that the platform keeps secret';
}
