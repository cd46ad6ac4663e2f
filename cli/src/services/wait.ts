import { DomainError } from '@stopgo/core';
import { systemClock } from '@stopgo/log';
import { type Logger, messageOf } from '@stopgo/runtime';
import { dependencyRetryMs, waitingLogMs } from './bounds.ts';

/**
 * Does something as soon as what it depends on is there: tries again while that is unavailable, and says so at first and
 * then every few seconds. Rejects with the signal's reason when it aborts, and with any other error at once.
 */
export async function whenAvailable<T>(
  what: string,
  work: () => Promise<T>,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<T> {
  let toldAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      const now = systemClock.monotonic();
      if (now - toldAt >= waitingLogMs) {
        toldAt = now;
        logger.info(`waiting for ${what}: ${messageOf(error)}`);
      }
    }
    await systemClock.sleep(dependencyRetryMs, signal);
  }
}

/** True for what goes by itself when the other service is there. */
function isPassing(error: unknown): boolean {
  return error instanceof DomainError && (error.kind === 'unavailable' || error.kind === 'deadline_exceeded');
}
