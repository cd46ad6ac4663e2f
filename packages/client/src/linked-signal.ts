/** Aborts with another signal, or when it is told to. (`AbortSignal.any` is not in every browser yet.) */
export class LinkedSignal {
  readonly #own = new AbortController();
  readonly #other: AbortSignal | undefined;

  constructor(other: AbortSignal | undefined) {
    this.#other = other;
    if (other?.aborted) this.#pass();
    else other?.addEventListener('abort', this.#pass);
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  abort(reason: unknown): void {
    this.#own.abort(reason);
  }

  /** The other one is listened to no longer. */
  release(): void {
    this.#other?.removeEventListener('abort', this.#pass);
  }

  readonly #pass = (): void => this.#own.abort(this.#other?.reason);
}
