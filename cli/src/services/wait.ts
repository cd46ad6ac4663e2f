import { DomainError } from '@stopgo/core';
import { systemClock } from '@stopgo/log';
import { type Logger, messageOf } from '@stopgo/runtime';
import { dependencyRetryMs, waitingLogMs } from './bounds.ts';

/** Another service does not believe this process that it is one of the platform. */
export class TokenRefused extends Error {
  readonly by: string;

  constructor(by: string, cause: unknown) {
    super(`the internal token is refused by ${by}`, { cause });
    this.by = by;
  }
}

/**
 * Does something as soon as what it depends on is there: tries again while that is unavailable, and says so at first and
 * then every few seconds. A token that is refused is waited out too: the other service may be started anew with the same
 * one. Rejects with the signal's reason when it aborts, and with any other error at once.
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
        if (error instanceof TokenRefused)
          logger.error(`the internal token is refused by ${error.by}: give both the same one`);
        else logger.info(`waiting for ${what}: ${messageOf(error)}`);
      }
    }
    await systemClock.sleep(dependencyRetryMs, signal);
  }
}

/** True for what goes by itself when the other service is there. */
export function isPassing(error: unknown): boolean {
  if (error instanceof TokenRefused) return true;
  return error instanceof DomainError && (error.kind === 'unavailable' || error.kind === 'deadline_exceeded');
}
