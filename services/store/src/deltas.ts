import { invalidArgument, isUuid } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import { deltaCharactersMax, deltasPerWatcherMax } from './bounds.ts';

type Watcher = { readonly queue: store.Delta[]; wake: () => void };

/** Hands pieces of answers to whoever watches at that moment. Nothing is kept; a slow watcher loses pieces. */
export class Deltas {
  readonly #watchers = new Map<string, Set<Watcher>>();

  /** Gives the number of those who watch the conversation. */
  publish(delta: store.Delta | undefined): number {
    if (delta === undefined || !isUuid(delta.conversationId))
      throw invalidArgument('a delta names its conversation by a UUID in lower case');
    if (delta.text.length > deltaCharactersMax)
      throw invalidArgument(`a delta has at most ${deltaCharactersMax} characters, not ${delta.text.length}`);
    const watchers = this.#watchers.get(delta.conversationId);
    for (const { queue, wake } of watchers ?? []) {
      // The offset of a later piece tells the watcher that it missed some.
      if (queue.length < deltasPerWatcherMax) queue.push(delta);
      wake();
    }
    return watchers?.size ?? 0;
  }

  /** How many watch a conversation. */
  watchers(conversationId: string): number {
    return this.#watchers.get(conversationId)?.size ?? 0;
  }

  /** The deltas of a conversation from the first read on, until the signal aborts. */
  async *watch(conversationId: string, signal: AbortSignal): AsyncGenerator<store.Delta, void> {
    const watcher: Watcher = { queue: [], wake: () => undefined };
    const watchers = this.#watchers.get(conversationId) ?? new Set();
    this.#watchers.set(conversationId, watchers.add(watcher));
    const wake = () => watcher.wake();
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted) {
        const delta = watcher.queue.shift();
        if (delta !== undefined) yield delta;
        else
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
}
