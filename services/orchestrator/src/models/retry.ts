import type { FailureCause } from './port.ts';

/** How often a call that failed is tried again. */
export const retriesMax = 2;
/** The longest wait a provider may ask for by Retry-After, in milliseconds; a longer one is not worth holding a run. */
export const retryAfterMsMax = 20_000;
/** The wait before the first retry, in milliseconds; it doubles. Between half and all of it is waited. */
const backoffMs = 500;

/** Why a limit aborts. Given so that no exception, with its costly stack, is made for each call that ends well. */
const over = 'the model call is over';

/** Time and chance, as arguments. */
export type RetryTime = {
  /** Milliseconds on a clock that only moves forward. */
  monotonic(): number;
  /** Resolves after so many milliseconds, or as soon as the signal aborts. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** A number from 0 up to 1. */
  random(): number;
};

type Done<T> = { readonly kind: 'done'; readonly value: T };

type Failed = {
  readonly kind: 'failed';
  readonly message: string;
  /** The HTTP status, if that is what failed. */
  readonly status?: number;
  /** Absent: none of those. */
  readonly cause?: FailureCause;
  /** See `ModelOutcome`. */
  readonly isEmpty?: true;
};

/** The outcome of a call with all its attempts. */
export type RetriedOutcome<T> = Done<T> | Failed;

/** What came of one attempt. `retry` is there if the failure may pass: rate limits, server faults, lost connections. */
export type Attempt<T> = Done<T> | (Failed & { readonly retry?: { readonly afterMs?: number } });

/**
 * Calls `attempt`, again after a failure that may pass, at most `retriesMax` times, only as long as `mayRetry` agrees,
 * and all within `timeoutMs`. Rejects only if `signal` aborts, with its reason; an attempt that throws is a failure.
 * The signal given to `attempt` aborts when the time is up, when the caller gives up, and when the call is over.
 */
export async function callWithRetries<T>(
  attempt: (signal: AbortSignal) => Promise<Attempt<T>>,
  options: {
    signal: AbortSignal;
    timeoutMs: number;
    /** On the clock: when the time is up, if a part of it is spent already. */
    deadline?: number;
    clock: RetryTime;
    mayRetry: () => boolean;
    onRetry?: (failure: { readonly message: string; readonly status?: number }, inMs: number) => void;
  },
): Promise<RetriedOutcome<T>> {
  const { signal, timeoutMs, clock } = options;
  signal.throwIfAborted();
  const limit = new AbortController();
  const stopped = new Promise<undefined>((resolve) => {
    limit.signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const giveUp = () => limit.abort(over);
  signal.addEventListener('abort', giveUp, { once: true });
  const { deadline = clock.monotonic() + timeoutMs } = options;
  const leftMs = options.deadline === undefined ? timeoutMs : Math.max(0, deadline - clock.monotonic());
  void clock.sleep(leftMs, limit.signal).then(giveUp);
  try {
    for (let retries = 0; ; retries += 1) {
      const result = await Promise.race([settled(attempt, limit.signal), stopped]);
      signal.throwIfAborted();
      if (result?.kind === 'done') return result;
      if (!result || limit.signal.aborted)
        return { kind: 'failed', message: `timed out after ${timeoutMs / 1000} s`, cause: 'unavailable' };
      const { retry, ...failure } = result;
      const wait =
        retry && retries < retriesMax && options.mayRetry() ? waitBefore(retries, retry.afterMs, clock) : undefined;
      if (wait === undefined || clock.monotonic() + wait >= deadline) return failure;
      options.onRetry?.(failure, wait);
      await clock.sleep(wait, limit.signal);
      signal.throwIfAborted();
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
    giveUp();
  }
}

async function settled<T>(
  attempt: (signal: AbortSignal) => Promise<Attempt<T>>,
  signal: AbortSignal,
): Promise<Attempt<T>> {
  try {
    return await attempt(signal);
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

/** How long to wait, in milliseconds; undefined if the provider asks for more than is worth waiting. */
function waitBefore(retries: number, afterMs: number | undefined, clock: RetryTime): number | undefined {
  const backoff = backoffMs * 2 ** retries * (0.5 + clock.random() / 2);
  if (afterMs === undefined) return backoff;
  // The jitter comes on top: no client should come back before it was told to, nor all at once.
  return afterMs <= retryAfterMsMax ? afterMs + backoff : undefined;
}

/** Reads a Retry-After header given in seconds, as milliseconds; the form with a date is not used by these providers. */
export function retryAfterMs(header: string | null | undefined): number | undefined {
  const seconds = Number(header?.trim() || Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}
