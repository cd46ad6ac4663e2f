import type { Clock } from '@stopgo/log';

/** Longest that one timer runs, in milliseconds: those of the system count up to 2^31. */
const timerMsMax = 2_000_000_000;
const nothingIsDue = new Error('it is not waited for any more');

/** Wakes whoever drives a run when something of it is due. */
export class DueTimer {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #dueAt: number | undefined;
  #stop = new AbortController();

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Wakes at this time, in milliseconds since 1970, and not at the one that was set before; undefined: never. */
  set(dueAt: number | undefined): void {
    if (dueAt === this.#dueAt) return;
    this.#dueAt = dueAt;
    this.#stop.abort(nothingIsDue);
    if (dueAt === undefined) return;
    this.#stop = new AbortController();
    const ms = Math.min(timerMsMax, Math.max(0, dueAt - this.#clock.now()));
    this.#clock.sleep(ms, this.#stop.signal).then(
      () => {
        this.#dueAt = undefined;
        this.#wake();
      },
      () => undefined,
    );
  }
}
