import type { CallScope } from '../questions/call-scope.ts';
import { afterRunning } from './running-time.ts';
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
 * to be resumed. The first that is over gives the call up. They count time in which this process ran: an answer that came while it
 * was frozen, or got no processor, is read before the call is given up.
 */
export class RunningCall {
  readonly #call: SessionCall;
  readonly #waits: CallWaits;
  readonly #abort = new AbortController();
  #stopTotal: () => void;
  #stopQuiet: () => void;
  #stopCancelWait: (() => void) | undefined;
  #stopStreamWait: (() => void) | undefined;
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
    this.#stopTotal = this.#after(call.totalTimeoutMs, () => this.#late('total'));
    this.#stopQuiet = this.#startQuiet();
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
    this.#stopQuiet();
    this.#stopQuiet = this.#startQuiet();
  }

  /** Waits for people: that time is not the server's. The call may still be canceled. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    if (this.#pauses === 0) this.#pausedAt = this.#waits.clock();
    this.#pauses += 1;
    this.#stopTotal();
    this.#stopQuiet();
    this.#stopStreamWait?.();
    try {
      return await work();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0 && !this.#ended) this.#goOn();
    }
  }

  /** The server was told to stop: what it answers shortly is still how the call ended. */
  stopWithin(): void {
    this.#stopCancelWait = this.#after(this.#waits.cancelWaitMs, () => this.giveUp('canceled'));
  }

  /** The number of open requests of the call has changed. */
  watch(scope: CallScope): void {
    this.#stopStreamWait?.();
    this.#open = scope.requestsOpen;
    if (scope.requestsOpen === 0 && this.#pauses === 0)
      this.#stopStreamWait = this.#after(this.#waits.streamResumeMs, () => this.giveUp('stream'));
  }

  end(): void {
    this.#ended = true;
    for (const stop of [this.#stopTotal, this.#stopQuiet, this.#stopCancelWait, this.#stopStreamWait]) stop?.();
  }

  #goOn(): void {
    const { clock, streamResumeMs } = this.#waits;
    const now = clock();
    this.#pausedMs += now - this.#pausedAt;
    const left = this.#call.totalTimeoutMs - (now - this.#began - this.#pausedMs);
    this.#stopTotal = this.#after(Math.max(1, left), () => this.#late('total'));
    this.#stopQuiet();
    this.#stopQuiet = this.#startQuiet();
    // The answer, or the call with it, is sent now; until then there may be no request.
    if (this.#open === 0) this.#stopStreamWait = this.#after(streamResumeMs, () => this.giveUp('stream'));
  }

  #startQuiet(): () => void {
    return this.#after(this.#call.timeoutMs, () => this.#late('timeout'));
  }

  #after(ms: number, over: () => void): () => void {
    return afterRunning(ms, this.#waits.clock, over);
  }

  #late(why: 'timeout' | 'total'): void {
    this.giveUp(this.#call.signal.aborted ? 'canceled' : why);
  }
}
