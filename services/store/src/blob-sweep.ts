import { mayStillNameBlobs } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import type { BlobStore, HeldBlob } from './blob-store.ts';
import { blobSweepMs } from './bounds.ts';
import type { Views } from './views.ts';

/** What a sweep looks at. */
export type BlobSweepParts = { readonly blobs: BlobStore; readonly views: Views };

/**
 * Releases the blobs whose calls have ended, and with that removes those that no event came to name. It needs no clock: a call that
 * has ended in the log names nothing any more, and the log itself refuses whoever has not seen that (decision 0052). Gives how many it
 * could not judge, because a conversation is set aside that may name them.
 */
export async function sweepBlobs({ blobs, views }: BlobSweepParts, signal: AbortSignal): Promise<number> {
  let unjudged = 0;
  if (signal.aborted) return unjudged;
  for await (const page of blobs.held()) {
    if (signal.aborted) break;
    // What was appended before a blob was looked at is seen now: also the event for which another sweep has released it.
    await views.caughtUp(signal);
    const found = page.map((blob) => ({
      blob,
      over: holdersOver(blob, views),
      isNamed: views.isBlobNamed(blob.digest),
    }));
    for (const { blob, over, isNamed } of found) {
      const isHeld = over.length === 0 && blob.holders.length > 0;
      if (isHeld) continue;
      // A conversation that is set aside may name it: it stays as it is until all can be read, by this replica or another.
      if (isNamed === undefined) unjudged += 1;
      else await blobs.release(blob, over, isNamed);
    }
  }
  return unjudged;
}

function holdersOver({ holders }: HeldBlob, views: Views) {
  return holders.filter(({ conversationId, runId, callId }) => {
    try {
      const state = views.state(conversationId);
      return state === undefined || !mayStillNameBlobs(state, runId, callId);
    } catch {
      // Its events cannot be read: nobody can tell.
      return false;
    }
  });
}

/**
 * Sweeps at once and then every `blobSweepMs`, unless a sweep takes longer: then none waits for it. Until the function given back is
 * called. What fails is tried the next time.
 */
export function startBlobSweep(parts: BlobSweepParts, log: Logger): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let isTold = false;
  const sweep = async () => {
    try {
      const unjudged = await sweepBlobs(parts, stopping.signal);
      if (unjudged > 0 && !isTold)
        log.warn('blobs are kept that nobody may need: a conversation is set aside, and what it names is not known', {
          blobs: unjudged,
        });
      isTold = unjudged > 0;
    } catch (error) {
      if (!stopping.signal.aborted) log.debug('blobs could not be swept; tried again', { error });
    }
  };
  let running: Promise<void> | undefined;
  const tick = (): void => {
    running ??= sweep().finally(() => {
      running = undefined;
    });
  };
  tick();
  const timer = setInterval(tick, blobSweepMs).unref();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort(new Error('the store is stopping'));
      await running;
    },
  };
}
