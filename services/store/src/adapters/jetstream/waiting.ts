/** Those who wait for a sequence to be applied. */
export class Waiting {
  readonly #waiting = new Map<number, Set<() => void>>();

  /** Resolves when the sequence is applied, when the time is over, or when the signal aborts; whichever it was is not told. */
  async for(sequence: number, waitMs: number, signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const some = this.#waiting.get(sequence) ?? new Set();
      this.#waiting.set(sequence, some);
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        some.delete(wake);
        if (some.size === 0 && this.#waiting.get(sequence) === some) this.#waiting.delete(sequence);
        resolve();
      };
      const timer = Number.isFinite(waitMs) ? setTimeout(wake, waitMs) : undefined;
      signal?.addEventListener('abort', wake, { once: true });
      some.add(wake);
    });
  }

  /** Wakes those who wait for one of these. */
  applied(after: number, upTo: number): void {
    if (this.#waiting.size === 0) return;
    if (upTo - after > this.#waiting.size) {
      for (const [sequence, some] of [...this.#waiting]) if (sequence <= upTo) wakeAll(some);
      return;
    }
    for (let sequence = after + 1; sequence <= upTo; sequence++) wakeAll(this.#waiting.get(sequence));
  }

  /** Wakes all. */
  close(): void {
    for (const some of [...this.#waiting.values()]) wakeAll(some);
  }
}

function wakeAll(some: ReadonlySet<() => void> | undefined): void {
  for (const wake of [...(some ?? [])]) wake();
}
