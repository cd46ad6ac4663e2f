import { updatesAheadMax } from '../bounds.ts';
import type { StreamResponse } from '../protocol.ts';

/** A change of a task, and which it is, counted from 1. */
export type Update = { readonly revision: number; readonly event: StreamResponse };

/** Who follows which task. */
export class TaskFeed {
  readonly #followers = new Map<string, Set<Follower>>();

  /** Tells all that follow the task. */
  tell(taskId: string, update: Update): void {
    for (const follower of this.#followers.get(taskId) ?? []) follower.hear(update);
  }

  /** From now on each change of the task, until the signal aborts or the follower is too far behind. */
  follow(taskId: string, signal: AbortSignal): AsyncGenerator<Update, void> {
    const follower = new Follower(signal);
    const all = this.#followers.get(taskId) ?? new Set();
    this.#followers.set(taskId, all.add(follower));
    return follower.updates(() => {
      all.delete(follower);
      if (all.size === 0) this.#followers.delete(taskId);
    });
  }
}

class Follower {
  readonly #waiting: Update[] = [];
  readonly #signal: AbortSignal;
  #wake: () => void = () => {};
  #tooFarBehind = false;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  hear(update: Update): void {
    if (this.#waiting.length >= updatesAheadMax) this.#tooFarBehind = true;
    else this.#waiting.push(update);
    this.#wake();
  }

  async *updates(leave: () => void): AsyncGenerator<Update, void> {
    const wake = () => this.#wake();
    this.#signal.addEventListener('abort', wake, { once: true });
    try {
      while (!this.#signal.aborted) {
        const next = this.#waiting.shift();
        if (next !== undefined) {
          yield next;
          continue;
        }
        if (this.#tooFarBehind) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.#signal.removeEventListener('abort', wake);
      leave();
    }
  }
}
