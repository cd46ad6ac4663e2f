import type { CallScope } from './call-scope.ts';
import type { Progress, SessionCall } from './session-call.ts';

/** Why a call was given up. */
export type GivenUp = 'timeout' | 'total' | 'canceled' | 'stream' | 'oversize';

/** When a call is given up without a word of its server. */
export type CallWaits = {
  /** How long a call that was asked to stop may still answer. */
  readonly cancelWaitMs: number;
  /** How long an HTTP call may be without an open request. */
  readonly streamResumeMs: number;
  /** Milliseconds that only grow. */
  readonly clock: () => number;
};

/**
 * The timers of one call: the time without progress, the time in all, the wait after a cancellation, the wait for a stream
 * to be resumed. The first that is over gives the call up.
 */
export class RunningCall {
  readonly #call: SessionCall;
  readonly #waits: CallWaits;
  readonly #abort = new AbortController();
  #total: NodeJS.Timeout;
  #quiet: NodeJS.Timeout;
  #stopWait: NodeJS.Timeout | undefined;
  #streamWait: NodeJS.Timeout | undefined;
  #why: GivenUp | undefined;
  #best = Number.NEGATIVE_INFINITY;
  readonly #began: number;
  /** Questions that people are asked now, and since when; what such pauses took before. */
  #pauses = 0;
  #pausedAt = 0;
  #pausedMs = 0;
  /** Requests of the call that are open; 1 where nobody counts them. */
  #open = 1;
  #ended = false;

  constructor(call: SessionCall, waits: CallWaits) {
    this.#call = call;
    this.#waits = waits;
    this.#began = waits.clock();
    this.#total = setTimeout(() => this.#late('total'), call.totalTimeoutMs);
    this.#quiet = this.#startQuiet();
  }

  /** Aborts when the call is given up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get givenUp(): GivenUp | undefined {
    return this.#why;
  }

  giveUp(why: GivenUp): void {
    this.#why ??= why;
    this.#abort.abort(new Error(why));
  }

  /** The server says how far it is: it has more time, unless it says the same again. */
  progress(progress: Progress): void {
    this.#call.onProgress?.(progress);
    if (progress.progress <= this.#best) return;
    this.#best = progress.progress;
    if (this.#pauses > 0) return;
    clearTimeout(this.#quiet);
    this.#quiet = this.#startQuiet();
  }

  /** Waits for people: that time is not the server's. The call may still be canceled. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    if (this.#pauses === 0) this.#pausedAt = this.#waits.clock();
    this.#pauses += 1;
    clearTimeout(this.#total);
    clearTimeout(this.#quiet);
    clearTimeout(this.#streamWait);
    try {
      return await work();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0 && !this.#ended) this.#goOn();
    }
  }

  /** The server was told to stop: what it answers shortly is still how the call ended. */
  stopWithin(): void {
    this.#stopWait = setTimeout(() => this.giveUp('canceled'), this.#waits.cancelWaitMs);
  }

  /** The number of open requests of the call has changed. */
  watch(scope: CallScope): void {
    clearTimeout(this.#streamWait);
    this.#open = scope.requestsOpen;
    if (scope.requestsOpen === 0 && this.#pauses === 0)
      this.#streamWait = setTimeout(() => this.giveUp('stream'), this.#waits.streamResumeMs);
  }

  end(): void {
    this.#ended = true;
    for (const timer of [this.#total, this.#quiet, this.#stopWait, this.#streamWait]) clearTimeout(timer);
  }

  #goOn(): void {
    const { clock, streamResumeMs } = this.#waits;
    const now = clock();
    this.#pausedMs += now - this.#pausedAt;
    const left = this.#call.totalTimeoutMs - (now - this.#began - this.#pausedMs);
    this.#total = setTimeout(() => this.#late('total'), Math.max(1, left));
    clearTimeout(this.#quiet);
    this.#quiet = this.#startQuiet();
    // The answer, or the call with it, is sent now; until then there may be no request.
    if (this.#open === 0) this.#streamWait = setTimeout(() => this.giveUp('stream'), streamResumeMs);
  }

  #startQuiet(): NodeJS.Timeout {
    return setTimeout(() => this.#late('timeout'), this.#call.timeoutMs);
  }

  #late(why: 'timeout' | 'total'): void {
    this.giveUp(this.#call.signal.aborted ? 'canceled' : why);
  }
}
