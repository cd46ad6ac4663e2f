import { describeError, type Logger } from '@stopgo/runtime';

/** Tells of something that cannot be reached once, and once when it can be again, however often that is noticed between. */
export class Outage {
  readonly #what: string;
  readonly #log: Logger;
  #isOut = false;

  constructor(what: string, log: Logger) {
    this.#what = what;
    this.#log = log;
  }

  failed(error: unknown): void {
    if (this.#isOut) return;
    this.#isOut = true;
    this.#log.warn(`${this.#what} does not answer; it is tried again until it does`, { error: describeError(error) });
  }

  /** Does something that needs it. Never rejects. */
  async during(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      return this.failed(error);
    }
    if (this.#isOut) this.#log.info(`${this.#what} answers again`);
    this.#isOut = false;
  }
}
