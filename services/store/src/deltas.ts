import { invalidArgument, isUuid, unavailable } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import { deltaBytesPerWatcherMax, deltaCharactersMax, deltasPerWatcherMax } from './bounds.ts';
import type { DeltaChannel } from './delta-channel.ts';

type Watcher = {
  readonly queue: { readonly delta: store.Delta; readonly bytes: number }[];
  /** Of what is in the queue. */
  bytes: number;
  wake: () => void;
};

/** The deltas within this process. */
export class Deltas implements DeltaChannel {
  readonly #watchers = new Map<string, Set<Watcher>>();
  #closed = false;

  publish(delta: store.Delta | undefined): number {
    if (delta === undefined || !isUuid(delta.conversationId))
      throw invalidArgument('a delta names its conversation by a UUID in lower case');
    if (delta.text.length > deltaCharactersMax)
      throw invalidArgument(`a delta has at most ${deltaCharactersMax} characters, not ${delta.text.length}`);
    const watchers = this.#watchers.get(delta.conversationId);
    const bytes = watchers === undefined ? 0 : bytesOf(delta);
    for (const watcher of watchers ?? []) {
      const { queue } = watcher;
      const fits = watcher.bytes + bytes <= deltaBytesPerWatcherMax && queue.length < deltasPerWatcherMax;
      // The offset of a later piece tells the watcher that it missed some.
      if (fits || queue.length === 0) {
        queue.push({ delta, bytes });
        watcher.bytes += bytes;
      }
      watcher.wake();
    }
    return watchers?.size ?? 0;
  }

  watchers(conversationId: string): number {
    return this.#watchers.get(conversationId)?.size ?? 0;
  }

  async *watch(conversationId: string, signal: AbortSignal): AsyncGenerator<store.Delta, void> {
    const watcher: Watcher = { queue: [], bytes: 0, wake: () => undefined };
    const watchers = this.#watchers.get(conversationId) ?? new Set();
    this.#watchers.set(conversationId, watchers.add(watcher));
    const wake = () => watcher.wake();
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        if (this.#closed) throw unavailable('the store is stopping; watch again once it is back');
        const next = watcher.queue.shift();
        if (next !== undefined) {
          watcher.bytes -= next.bytes;
          yield next.delta;
        } else
          await new Promise<void>((resolve) => {
            watcher.wake = resolve;
          });
      }
    } finally {
      signal.removeEventListener('abort', wake);
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(conversationId);
    }
  }

  /** Ends every watch, and each that begins later. */
  close(): void {
    this.#closed = true;
    for (const watchers of this.#watchers.values()) for (const { wake } of watchers) wake();
  }
}

/** About what a delta takes on the wire. */
function bytesOf({ text, runId, stepId }: store.Delta): number {
  return Buffer.byteLength(text) + Buffer.byteLength(runId) + Buffer.byteLength(stepId);
}
