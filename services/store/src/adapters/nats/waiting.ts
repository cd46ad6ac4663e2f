import { canceled } from '@stopgo/core';
import { type Logger, messageOf } from '@stopgo/runtime';
import { redialJitterMs, redialMs, waitingLogMs } from './bounds.ts';

/** How something is tried again until it can be had. */
export type Waiting = {
  /** What is waited for, as the log should call it. */
  readonly what: string;
  readonly log: Logger;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** True for a failure that passes by itself. */
  readonly passes: (error: unknown) => boolean;
};

/**
 * Tries until it succeeds: a line of the log says so when the wait begins, every few seconds, and at its end. Rejects with
 * the first failure that does not pass by itself, and with `canceled` when the signal aborts.
 */
export async function untilThere<T>(attempt: () => Promise<T>, { what, log, signal, passes }: Waiting): Promise<T> {
  let toldAt: number | undefined;
  for (;;) {
    if (signal.aborted) throw canceled(`the wait for ${what} was given up`);
    try {
      const found = await attempt();
      if (toldAt !== undefined) log.info(`${what}: there now`);
      return found;
    } catch (error) {
      if (!passes(error)) throw error;
      if (toldAt === undefined || performance.now() - toldAt >= waitingLogMs) {
        log.warn(`${what}: waiting for it`, { reason: messageOf(error) });
        toldAt = performance.now();
      }
    }
    await pause(redialMs + Math.random() * redialJitterMs, signal);
  }
}

/** Waits so long, or until the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
