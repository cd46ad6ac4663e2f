import { unavailable } from '@stopgo/core';
import type { LoggedEvent } from './event-log.ts';

type Wake = (events: readonly LoggedEvent[] | undefined) => void;

const everyStream = '';

/**
 * Wakes those who wait for events. It keeps nothing: an event reaches only who waits at that moment, so that a slow
 * reader costs no memory and reads what it missed from the log.
 */
export class LiveEvents {
  readonly #waiting = new Map<string, Set<Wake>>();
  #closed = false;

  /**
   * The next events of a stream (undefined: of all streams) that are appended after this call; undefined if the signal
   * aborts first. Throws `unavailable` once the log is closed.
   */
  async next(stream: string | undefined, signal: AbortSignal): Promise<readonly LoggedEvent[] | undefined> {
    const key = stream ?? everyStream;
    if (signal.aborted) return undefined;
    if (!this.#closed) {
      const events = await new Promise<readonly LoggedEvent[] | undefined>((resolve) => {
        const waiting = this.#waiting.get(key) ?? new Set();
        this.#waiting.set(key, waiting);
        const wake: Wake = (given) => {
          waiting.delete(wake);
          if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
          signal.removeEventListener('abort', abort);
          resolve(given);
        };
        const abort = () => wake(undefined);
        waiting.add(wake);
        signal.addEventListener('abort', abort, { once: true });
      });
      if (events !== undefined || signal.aborted) return events;
    }
    throw unavailable('the event log ends here; ask again');
  }

  /** Hands the events of one append to those who wait for them. */
  publish(stream: string, events: readonly LoggedEvent[]): void {
    for (const key of [stream, everyStream]) for (const wake of [...(this.#waiting.get(key) ?? [])]) wake(events);
  }

  /** Has everybody read the log again, as if there were news: it may hold what was not handed out. */
  lookAgain(): void {
    for (const waiting of [...this.#waiting.values()]) for (const wake of [...waiting]) wake([]);
  }

  /** Ends every wait, for good. */
  close(): void {
    this.#closed = true;
    this.interrupt();
  }

  /** Ends every wait of now: what they follow goes on otherwise than it began. */
  interrupt(): void {
    for (const waiting of [...this.#waiting.values()]) for (const wake of [...waiting]) wake(undefined);
  }
}
