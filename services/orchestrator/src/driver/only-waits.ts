import { hasWork } from '@stopgo/core';
import type { RunDriver } from './run-driver.ts';

/** True if all that the driver's run has to do is to answer agents that have been away for a while: it costs next to nothing. */
export function onlyWaits({ state: { run }, runId, away }: Pick<RunDriver, 'state' | 'runId' | 'away'>): boolean {
  if (away.size === 0 || run?.id !== runId) return false;
  const calls = Object.entries(run.calls).map(
    ([id, call]) => [id, away.has(id) ? ({ ...call, phase: 'blocked' } as const) : call] as const,
  );
  return !hasWork({ ...run, calls: Object.fromEntries(calls) });
}
