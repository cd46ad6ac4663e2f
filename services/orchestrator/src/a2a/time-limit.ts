import type { Clock } from '@stopgo/log';

/** A signal that aborts with its parent, or when its time is up. */
export class TimeLimit {
  readonly #clock: Clock;
  readonly #parent: AbortSignal;
  readonly #over = new AbortController();
  readonly #relay = (): void => this.#over.abort(this.#parent.reason);
  #waiting = new AbortController();

  constructor(clock: Clock, parent: AbortSignal) {
    this.#clock = clock;
    this.#parent = parent;
    if (parent.aborted) this.#relay();
    else parent.addEventListener('abort', this.#relay, { once: true });
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** So long from now, whatever was said before. `what` is what took too long. */
  within(ms: number, what: string): void {
    this.#waiting.abort(noLonger);
    this.#waiting = new AbortController();
    this.#clock
      .sleep(ms, this.#waiting.signal)
      .then(() => this.#over.abort(new Error(`${what} took longer than ${ms / 1000} s`)))
      .catch(() => undefined);
  }

  /** The work is over: neither time nor the parent matters any more. */
  stop(): void {
    this.#waiting.abort(noLonger);
    this.#parent.removeEventListener('abort', this.#relay);
  }
}

/** Made once: an abort without a reason of its own makes an exception with a stack each time. */
const noLonger = new Error('it was in time');

/** Does the work within so many milliseconds; its signal aborts when they are over, or with `parent`. */
export async function withinTime<T>(
  clock: Clock,
  ms: number,
  what: string,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  parent.throwIfAborted();
  const limit = new TimeLimit(clock, parent);
  limit.within(ms, what);
  try {
    return await work(limit.signal);
  } finally {
    limit.stop();
  }
}
