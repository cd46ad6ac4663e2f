import { gatherMsMax, gatherMsPerStream, recentMs, recentStreamsFew } from '../../bounds.ts';

/** The streams that were appended to a moment ago: about as many appenders are at work at once. */
export class RecentStreams {
  /** When each was appended to last, the longest ago first. */
  readonly #times = new Map<string, number>();

  /** Takes note of an append to a stream. `now`: milliseconds that only grow. */
  appended(stream: string, now: number): void {
    this.#times.delete(stream);
    this.#times.set(stream, now);
    this.#drop(now);
  }

  /** True if so few are at work that none is held up while another one's commit is made. */
  areFew(now: number): boolean {
    this.#drop(now);
    return this.#times.size <= recentStreamsFew;
  }

  /**
   * How long after one commit the next may begin, in milliseconds. A commit costs about the same whether it holds one append or many;
   * with more at work more come in the same time, and each of them takes longer for other reasons.
   */
  gatherMs(now: number): number {
    return this.areFew(now) ? 0 : Math.min(gatherMsMax, gatherMsPerStream * this.#times.size);
  }

  #drop(now: number): void {
    for (const [stream, time] of this.#times) {
      if (now - time <= recentMs) return;
      this.#times.delete(stream);
    }
  }
}
