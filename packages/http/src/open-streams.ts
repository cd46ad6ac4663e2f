import { resourceExhausted } from '@stopgo/core';

/** One open event stream. */
export type StreamSlot = {
  /** Aborts when the client leaves or the server stops. */
  readonly signal: AbortSignal;
  /** Ends what the stream still waits for and gives its place to another one. */
  release(): void;
};

/** The event streams that are open, within a cap. */
export class OpenStreams {
  readonly #max: number;
  readonly #open = new Set<AbortController>();
  #stopping = false;

  constructor(max: number) {
    this.#max = max;
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }

  /** @throws DomainError `resource_exhausted` if as many are open as may be. */
  open(): StreamSlot {
    if (this.#open.size >= this.#max) {
      throw resourceExhausted(`${this.#max} event streams are open, which is the limit; try again later`);
    }
    const controller = new AbortController();
    if (this.#stopping) controller.abort();
    this.#open.add(controller);
    return {
      signal: controller.signal,
      release: () => {
        this.#open.delete(controller);
        controller.abort();
      },
    };
  }

  /** Ends all, so that their clients connect again, elsewhere or later. */
  endAll(): void {
    this.#stopping = true;
    for (const controller of this.#open) controller.abort();
  }
}
