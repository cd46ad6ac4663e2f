/** The clock, and what goes with it: tests have one of their own. */
export type Timing = {
  /** Milliseconds since some moment. */
  readonly now: () => number;
  /** Resolves after so many milliseconds, or as soon as the signal aborts. Never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
};

export const realTiming: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end);
    }),
};

/** How often, and how long, something is tried. */
export type Retries = {
  /** Tries of one request in all; 1: none is repeated. */
  readonly triesMax: number;
  /** The pause after the first try, in milliseconds; each further one is twice as long. A part of it is left to chance. */
  readonly firstPauseMs: number;
  /** The longest pause, in milliseconds. */
  readonly pauseMsMax: number;
  /** No try begins later than this after the first one, in milliseconds. */
  readonly totalMs: number;
};

export const usualRetries: Retries = { triesMax: 6, firstPauseMs: 250, pauseMsMax: 8_000, totalMs: 60_000 };

/** The pause after so many tries, in milliseconds: between half of what it comes to and all of it, so that not all come back at once. */
export function pauseAfter(tries: number, { firstPauseMs, pauseMsMax }: Retries, random: number): number {
  return Math.min(firstPauseMs * 2 ** (tries - 1), pauseMsMax) * (0.5 + random / 2);
}
