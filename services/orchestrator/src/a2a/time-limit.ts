import type { Clock } from '@stopgo/log';

/** A signal that aborts with its parent, or when its time is up. */
export class TimeLimit {
  readonly signal: AbortSignal;
  private readonly clock: Clock;
  private readonly timeUp = new AbortController();
  private waiting = new AbortController();

  constructor(clock: Clock, parent: AbortSignal) {
    this.clock = clock;
    this.signal = AbortSignal.any([parent, this.timeUp.signal]);
  }

  /** So long from now, whatever was said before. `what` is what took too long. */
  within(ms: number, what: string): void {
    this.stop();
    this.waiting = new AbortController();
    this.clock
      .sleep(ms, this.waiting.signal)
      .then(() => this.timeUp.abort(new Error(`${what} took longer than ${ms / 1000} s`)))
      .catch(() => undefined);
  }

  /** Time does not matter any more. */
  stop(): void {
    this.waiting.abort(noLonger);
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
