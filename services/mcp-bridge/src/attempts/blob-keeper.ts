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
   * out, and the log is told in one line; the line in the text of the result still tells of it. `clean` takes out of texts what must not be kept.
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
      const holder = { conversationId, runId, callId };
      const kept: BlobRef[] = [];
      const leftOut = new LeftOut();
      const end = abortsWithin(blobWaitMs);
      let puts = 0;
      for (const [index, { base64, declaredType, name }] of attachments.entries()) {
        if (puts === blobsPerResultMax) {
          leftOut.add(`a result keeps at most ${blobsPerResultMax}`, attachments.length - index);
          break;
        }
        const bytes = Buffer.from(base64, 'base64');
        if (bytes.byteLength === 0) continue;
        const problem = problemOf(bytes, clean);
        if (problem !== undefined) {
          leftOut.add(problem);
          continue;
        }
        puts += 1;
        try {
          const put = () => store.putBlob({ bytes, holder }, { signal: end, timeoutMs });
          const { digest } = await untilAnswered(put, clock, random, end);
          const shown = clean(name).slice(0, blobNameCharactersMax);
          const mediaType = mediaTypeOf(bytes, clean(declaredType));
          kept.push({ digest, mediaType, size: bytes.byteLength, name: shown });
        } catch (error) {
          leftOut.add(reasonOf(error));
        }
      }
      leftOut.tell(log, callId);
      return kept;
    },
  };
}

/** The attachments of one result that are not kept: a result may have tens of thousands, and is told of in one line. */
class LeftOut {
  readonly #counts = new Map<string, number>();

  add(reason: string, count = 1): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count);
  }

  tell(log: Logger, call: string): void {
    if (this.#counts.size === 0) return;
    const reasons = [...this.#counts].map(([reason, count]) => `${count}: ${reason}`);
    log.warn('attachments of a tool result are not kept', { call, reasons });
  }
}

/** Why some bytes are not kept. */
function problemOf(bytes: Buffer, clean: (text: string) => string): string | undefined {
  if (bytes.byteLength > blobBytesMax) return `it has more than ${blobBytesMax} bytes`;
  const text = bytes.toString('latin1');
  return clean(text) === text ? undefined : 'it holds a token or a key that the platform keeps secret';
}
