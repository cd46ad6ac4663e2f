/** How many lines something may cause in a while, so that a server which changes all the time does not fill the log. */
export class LineBudget {
  readonly #linesMax: number;
  readonly #periodMs: number;
  readonly #clock: () => number;
  #since = Number.NEGATIVE_INFINITY;
  #lines = 0;

  /** `clock`: milliseconds that only grow. */
  constructor(linesMax: number, periodMs: number, clock: () => number) {
    this.#linesMax = linesMax;
    this.#periodMs = periodMs;
    this.#clock = clock;
  }

  /** True if one more line may be written now. */
  admits(): boolean {
    const now = this.#clock();
    if (now - this.#since >= this.#periodMs) {
      this.#since = now;
      this.#lines = 0;
    }
    this.#lines += 1;
    return this.#lines <= this.#linesMax;
  }
}
