import { hasWork } from '@stopgo/core';
import type { RunHandle } from '../handle/run-handle.ts';

/**
 * True if all that the driver's run has to do is to answer agents that are away: by default those that have been for a while, so that it
 * costs next to nothing.
 */
export function onlyWaits(
  driver: Pick<RunHandle, 'state' | 'runId' | 'silentAgents'>,
  away = driver.silentAgents.away,
): boolean {
  const {
    runId,
    state: { run },
  } = driver;
  if (away.size === 0 || run?.id !== runId) return false;
  const calls = Object.entries(run.calls).map(
    ([id, call]) => [id, away.has(id) ? ({ ...call, phase: 'blocked' } as const) : call] as const,
  );
  return !hasWork({ ...run, calls: Object.fromEntries(calls) });
}
