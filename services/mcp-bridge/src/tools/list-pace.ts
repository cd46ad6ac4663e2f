import type { BridgeBounds } from '../bounds.ts';

/**
 * How often the list of one server may be read that keeps saying that it changed. A few readings are given at once. After that each
 * change waits for a pause, which doubles while the server goes on, up to `listPauseMaxMs`. Once it has been quiet for as long as the
 * last pause, it is treated as in the beginning.
 */
export class ListPace {
  readonly #bounds: Pick<BridgeBounds, 'listReadsMax' | 'listPauseMs' | 'listPauseMaxMs'>;
  #readAt: readonly number[] = [];
  /** The last pause; 0 if there was none since the server was quiet. */
  #pauseMs = 0;
  #until = 0;

  constructor(bounds: Pick<BridgeBounds, 'listReadsMax' | 'listPauseMs' | 'listPauseMaxMs'>) {
    this.#bounds = bounds;
  }

  /** How long the list has to wait, in milliseconds; with 0 it may be read at once, which counts as a reading. */
  next(now: number): number {
    const { listReadsMax, listPauseMs, listPauseMaxMs } = this.#bounds;
    if (this.#pauseMs > 0) {
      if (now < this.#until) return this.#until - now;
      if (now - this.#until >= this.#pauseMs) this.#pauseMs = 0;
    }
    this.#readAt = this.#readAt.filter((at) => now - at < listPauseMs);
    if (this.#readAt.length < (this.#pauseMs === 0 ? listReadsMax : 1)) {
      this.#readAt = [...this.#readAt, now];
      return 0;
    }
    this.#readAt = [];
    this.#pauseMs = Math.max(listPauseMs, Math.min(listPauseMaxMs, 2 * this.#pauseMs));
    this.#until = now + this.#pauseMs;
    return this.#pauseMs;
  }
}
