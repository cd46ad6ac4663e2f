import { type Effect, isUnderWay } from '@stopgo/core';
import { dataRequestOf, valuesNeeded } from '@stopgo/core/shared-data';
import { argumentsOf } from '../handle/call-arguments.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { sharedValues } from './shared-values.ts';

/**
 * Uses what the agents of a run share, and puts down what came of it: both are one append. Where something is written meanwhile, it is read
 * again. Rejects with `unavailable` while the record is out of reach.
 */
export async function performData(
  driver: RunHandle,
  { id: callId }: Extract<Effect, { kind: 'data' }>,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = driver.ports;
  const since = clock.monotonic();
  for (;;) {
    const before = driver.state;
    const call = before.run?.calls[callId];
    const attempt = (call?.attempt ?? 0) + 1;
    const isOwed = driver.isOwner() && before.run?.paused === undefined && call?.target?.kind === 'data';
    if (!isOwed || !isUnderWay(call, attempt)) return;
    const request = dataRequestOf(call.tool, await argumentsOf(driver, call, signal));
    const values = await sharedValues(driver, valuesNeeded(before.run?.data ?? [], request), signal);
    if (signal.aborted) return;
    const durationMs = clock.monotonic() - since;
    const taken = await driver.submit({ type: 'useData', callId, attempt, request, values, durationMs });
    if (taken !== 'ignored' || !(await driver.movedOn(before, signal))) return;
  }
}
