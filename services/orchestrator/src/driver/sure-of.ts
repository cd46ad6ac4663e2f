import type { RunDriver } from './run-driver.ts';

/**
 * Until when nobody takes the run from this process if it owns it after this, on the monotonic clock. That its heartbeat is
 * fresh later on says less: it may have been frozen, taken for dead, and have renewed it since.
 */
export function sureOf({ ports: { clock, liveness } }: Pick<RunDriver, 'ports'>): number {
  return liveness.isFresh() ? clock.monotonic() + liveness.ttlMs / 2 : Number.NEGATIVE_INFINITY;
}
