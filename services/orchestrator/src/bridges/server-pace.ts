/** Longest call that counts as short, in milliseconds. */
export const shortCallMs = 250;
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
   * Whether further calls may be begun behind those that run, which have taken `runningMs` each: one of them will soon be over, as
   * it is young, and none of the last ones was long. Of a server that is not known yet that cannot be said.
   */
  allowsAhead(runningMs: readonly number[]): boolean {
    const isShort = (ms: number): boolean => ms < shortCallMs;
    return this.#last.length > 0 && this.#last.every(isShort) && runningMs.some(isShort);
  }
}
