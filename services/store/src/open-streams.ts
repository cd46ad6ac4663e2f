import { resourceExhausted } from '@stopgo/core';

/** Counts the streams that are open, and refuses more than the bound. */
export class OpenStreams {
  readonly #max: number;
  #open = 0;

  /** At most `max` streams at once. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Passes a stream through while it counts as open. Throws `resource_exhausted` if too many are. */
  async *admit<T>(stream: () => AsyncIterable<T>): AsyncGenerator<T, void> {
    if (this.#open >= this.#max)
      throw resourceExhausted(
        `${this.#max} streams of the store are open, which is the most (openStreamsMax); close one or try later`,
      );
    this.#open++;
    try {
      yield* stream();
    } finally {
      this.#open--;
    }
  }
}
