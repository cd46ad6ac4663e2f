import { resourceExhausted } from '@stopgo/core';
import { openStreamsMax } from './bounds.ts';

/** Counts the streams that are open, and refuses more than the bound. */
export class OpenStreams {
  #open = 0;

  /** Passes a stream through while it counts as open. Throws `resource_exhausted` if too many are. */
  async *admit<T>(stream: () => AsyncIterable<T>): AsyncGenerator<T, void> {
    if (this.#open >= openStreamsMax)
      throw resourceExhausted(`${openStreamsMax} streams are open, the most there can be; close one or try later`);
    this.#open++;
    try {
      yield* stream();
    } finally {
      this.#open--;
    }
  }
}
