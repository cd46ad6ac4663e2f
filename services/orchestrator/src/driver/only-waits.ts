import { hasWork, runStanding } from '@stopgo/core';
import type { RunDriver } from './run-driver.ts';

/**
 * True if all that the driver's run has to do is to answer agents that have been away for a while, or it waits for people in the midst
 * of calls: it costs next to nothing.
 */
export function onlyWaits({ state, runId, away }: Pick<RunDriver, 'state' | 'runId' | 'away'>): boolean {
  const { run } = state;
  if (run?.id !== runId) return false;
  if (runStanding(state) === 'waiting') return true;
  if (away.size === 0) return false;
  const calls = Object.entries(run.calls).map(
    ([id, call]) => [id, away.has(id) ? ({ ...call, phase: 'blocked' } as const) : call] as const,
  );
  return !hasWork({ ...run, calls: Object.fromEntries(calls) });
}
