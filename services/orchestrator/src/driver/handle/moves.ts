/** Tells whoever waits that something has moved on. */
export class Moves {
  private readonly watchers = new Set<() => void>();

  /** Resolves with the next move, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.watchers.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.watchers.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  tell(): void {
    for (const watcher of [...this.watchers]) watcher();
  }
}
