/** How the pauses between attempts grow. */
export type BackoffBounds = {
  readonly backoffFirstMs: number;
  readonly backoffMaxMs: number;
  readonly backoffResetMs: number;
};

/** Half of each pause is fixed, the other half random, so that many bridges do not all come back at once. */
const fixedShare = 0.5;

/** Counts failures in a row and says how long to wait after each. */
export class Backoff {
  readonly #bounds: BackoffBounds;
  readonly #random: () => number;
  #failures = 0;

  /** `random` gives numbers from 0 to below 1. */
  constructor(bounds: BackoffBounds, random: () => number) {
    this.#bounds = bounds;
    this.#random = random;
  }

  /** The pause after a failure, in milliseconds. `upMs`: how long it had worked before. */
  next(upMs: number): number {
    if (upMs >= this.#bounds.backoffResetMs) this.#failures = 0;
    const longest = Math.min(this.#bounds.backoffMaxMs, this.#bounds.backoffFirstMs * 2 ** this.#failures);
    this.#failures += 1;
    return longest * (fixedShare + (1 - fixedShare) * this.#random());
  }
}
