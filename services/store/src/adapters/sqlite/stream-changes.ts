import { aloneChangesMax, aloneMs } from '../../bounds.ts';

/** How often appends went from one stream to another lately: often, while several appenders are at work at once. */
export class StreamChanges {
  #last: string | undefined;
  /** Times of the latest changes, oldest first. */
  #times: readonly number[] = [];

  /** Takes note of an append to a stream. `now`: milliseconds that only grow. */
  appended(stream: string, now: number): void {
    if (stream === this.#last) return;
    this.#last = stream;
    this.#times = [...this.#times, now].slice(-(aloneChangesMax + 1));
  }

  /** True if whoever appends now is the only one. */
  isAlone(now: number): boolean {
    const [oldest] = this.#times;
    return oldest === undefined || this.#times.length <= aloneChangesMax || now - oldest > aloneMs;
  }
}
