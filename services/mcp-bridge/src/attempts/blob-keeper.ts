import { type BlobRef, blobBytesMax, blobName, blobsPerResultMax, mediaTypeOf } from '@stopgo/core';
import { type Clock, untilAnswered } from '@stopgo/log';
import type { mcp, store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { abortsWithin, type Logger } from '@stopgo/runtime';
import type { BridgeBounds } from '../bounds.ts';
import { reasonOf } from '../failures.ts';
import type { Attachment } from '../results/attachments.ts';

type CallOfResult = Pick<mcp.CallKey, 'conversationId' | 'runId' | 'callId'>;

/** Keeps what results hold beside text. */
export type BlobKeeper = {
  /**
   * Has the attachments of a result kept, in order, and names them. They are durable when it resolves. What cannot be kept is left
   * out, and the log is told in one line; the line in the text of the result still tells of it. So is the rest when the signal aborts, and
   * all where too many bytes wait already. `clean` takes out of texts what must not be kept. Never rejects.
   */
  keep(
    attachments: readonly Attachment[],
    key: CallOfResult,
    clean: (text: string) => string,
    signal: AbortSignal,
  ): Promise<readonly BlobRef[]>;
};

/** What keeping needs. */
export type BlobKeeperPorts = {
  readonly store: Pick<Client<typeof store.StoreService>, 'putBlob'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly bounds: Pick<BridgeBounds, 'blobAskMs' | 'blobWaitMs' | 'blobBytesWaitingMax'>;
};

/** Blobs as the store keeps them, one after the other, so that a result is in memory once. */
export function storeBlobs({ store, clock, random, log, bounds }: BlobKeeperPorts): BlobKeeper {
  const { blobAskMs: timeoutMs, blobWaitMs, blobBytesWaitingMax } = bounds;
  let bytesWaiting = 0;

  async function keepEach(
    attachments: readonly Attachment[],
    { conversationId, runId, callId }: CallOfResult,
    clean: (text: string) => string,
    { end, leftOut }: { readonly end: AbortSignal; readonly leftOut: LeftOut },
  ): Promise<readonly BlobRef[]> {
    const holder = { conversationId, runId, callId };
    const kept: BlobRef[] = [];
    let puts = 0;
    for (const [index, { base64, declaredType, name }] of attachments.entries()) {
      const over = whyOver(puts, end);
      if (over !== undefined) {
        leftOut.add(over, attachments.length - index);
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
        const mediaType = mediaTypeOf(bytes, clean(declaredType));
        kept.push({ digest, mediaType, size: bytes.byteLength, name: blobName(clean(name)) });
      } catch (error) {
        leftOut.add(whyOver(0, end) ?? reasonOf(error));
      }
    }
    return kept;
  }

  return {
    keep: async (attachments, call, clean, signal) => {
      const leftOut = new LeftOut();
      const bytes = attachments.reduce((sum, { base64 }) => sum + Buffer.byteLength(base64, 'base64'), 0);
      const isTooMuch = bytesWaiting > 0 && bytesWaiting + bytes > blobBytesWaitingMax;
      if (isTooMuch) leftOut.add('too many of other results wait to be stored', attachments.length);
      bytesWaiting += bytes;
      try {
        const end = abortsWithin(blobWaitMs, signal);
        return isTooMuch ? [] : await keepEach(attachments, call, clean, { end, leftOut });
      } finally {
        bytesWaiting -= bytes;
        leftOut.tell(log, call.callId);
      }
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

/** Why nothing more of a result is kept, of which so many have been put; undefined: it goes on. */
function whyOver(puts: number, end: AbortSignal): string | undefined {
  if (end.aborted)
    return isTimeout(end.reason) ? 'the store did not take it in time' : 'its call was canceled meanwhile';
  return puts >= blobsPerResultMax ? `a result keeps at most ${blobsPerResultMax}` : undefined;
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}

/** Why some bytes are not kept. */
function problemOf(bytes: Buffer, clean: (text: string) => string): string | undefined {
  if (bytes.byteLength > blobBytesMax) return `it has more than ${blobBytesMax} bytes`;
  const text = bytes.toString('latin1');
  return clean(text) === text ? undefined : 'it holds a token or a key that the platform keeps secret';
}
