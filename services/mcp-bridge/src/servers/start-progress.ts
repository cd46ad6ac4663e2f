import { formatDuration, visibleText } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';

/** What the progress of a start needs. */
export type StartProgressDependencies = {
  readonly log: Logger;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
  /** How often a start that goes on is told in the log, in milliseconds. */
  readonly everyMs: number;
};

const second = 1_000;

/** How far one start of a server is: told in the log every so often, and shown to whoever looks at the server meanwhile. */
export class StartProgress {
  readonly #limitMs: number;
  readonly #clock: () => number;
  readonly #since: number;
  readonly #timer: NodeJS.Timeout;
  #lastOutput: () => string = () => '';

  /** `limitMs`: how long this start may take. */
  constructor(server: string, limitMs: number, { log, clock, everyMs }: StartProgressDependencies) {
    this.#limitMs = limitMs;
    this.#clock = clock;
    this.#since = clock();
    this.#timer = setInterval(() => log.info(`MCP server "${server}" is starting: ${this.text}`), everyMs).unref();
  }

  /** To be told where the last line of the server's error output is had: redacted and bounded, empty if there is none. */
  watch(lastOutput: () => string): void {
    this.#lastOutput = lastOutput;
  }

  /** `12 s so far, limit 5m (start_timeout); last output: …` */
  get text(): string {
    const seconds = Math.floor((this.#clock() - this.#since) / second);
    const output = this.#lastOutput();
    const tail = output === '' ? '' : `; last output: ${visibleText(output)}`;
    return `${seconds} s so far, limit ${formatDuration(this.#limitMs)} (start_timeout)${tail}`;
  }

  /** To be called when the start is over, however it ended. */
  end(): void {
    clearInterval(this.#timer);
  }
}
