/** Longest call that counts as short, in milliseconds. */
export const shortCallMs = 250;
/**
 * How long a call that was begun behind others may wait for them, about, in milliseconds: as long as it takes to put a start on the record
 * and to have the bridge look it up, under load. With less a server stands still meanwhile; with more the calls only wait elsewhere.
 */
export const aheadMs = 100;
/** Calls of one server that may be begun while others run at it, beyond those that it is given at the same time. */
export const aheadMax = 12;
/** Calls of a server, the last ones, by which its next ones are judged. */
export const lastCallsMax = 8;

/**
 * How long the calls of one tool server take, as far as this process has seen: it says whether the next calls are worth putting on
 * the record while another one runs. What is started there and waits is in doubt if its bridge dies, so it must not wait for long.
 */
export class ServerPace {
  /** Lengths of the last calls, in milliseconds, the oldest first. */
  readonly #last: number[] = [];

  /** A call is over that took so many milliseconds from when no other one was before it. */
  ended(ms: number): void {
    this.#last.push(ms);
    if (this.#last.length > lastCallsMax) this.#last.shift();
  }

  /**
   * How many calls may be begun behind those that run, which have taken `runningMs` each: about as many as the server answers within
   * {@link aheadMs}, and `most` at most. None unless one of those that run will soon be over, as it is young, and none of the last ones
   * was long: of a server that is not known yet that cannot be said.
   */
  ahead(runningMs: readonly number[], most = aheadMax): number {
    const isShort = (ms: number): boolean => ms < shortCallMs;
    if (this.#last.length === 0 || !this.#last.every(isShort) || !runningMs.some(isShort)) return 0;
    const mean = this.#last.reduce((sum, ms) => sum + ms, 0) / this.#last.length;
    return Math.min(most, Math.max(1, Math.floor((aheadMs * runningMs.length) / mean)));
  }
}
