import type { RunHandle } from './run-handle.ts';

/**
 * Until when nobody takes the run from this process if it owns it after this, on the monotonic clock. That its heartbeat is
 * fresh later on says less: it may have been frozen, taken for dead, and have renewed it since. Who claimed the run for a judgement
 * from before fails at the revision of what this process appends after this.
 */
export function sureOf({ ports: { clock, liveness } }: Pick<RunHandle, 'ports'>): number {
  return liveness.isFresh() ? clock.monotonic() + liveness.ttlMs / 2 : Number.NEGATIVE_INFINITY;
}

/**
 * Right before anything is sent that must not be sent twice: what it rests on must be so still, as the log has it. That is sure
 * until some time, and found out anew after it. Nothing may be awaited between this and the sending. Rejects when the signal
 * aborts while this process is out of touch.
 */
export async function surelyStill(
  driver: Pick<RunHandle, 'ports' | 'refresh'>,
  sureUntil: number,
  isStill: () => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { clock, liveness } = driver.ports;
  for (let until = sureUntil; clock.monotonic() >= until; ) {
    if (!liveness.isFresh()) await liveness.renewed(signal);
    until = sureOf(driver);
    await driver.refresh();
    if (!isStill()) return false;
  }
  return true;
}
