import type { Effect } from '@stopgo/core';
import { askFence } from './ask-fence.ts';
import { argumentsOf } from './call-arguments.ts';
import { handInLate } from './hand-in-late.ts';
import { outcomeCommand } from './outcomes.ts';
import type { RunDriver } from './run-driver.ts';
import { stopWithRun } from './stop-call.ts';

/** Finds out what became of an attempt that is on the record and not under way here, and records it. */
export async function recoverCall(
  driver: RunDriver,
  effect: Extract<Effect, { kind: 'recover' }>,
  signal: AbortSignal,
): Promise<void> {
  const call = driver.state.run?.calls[effect.id];
  if (call === undefined) return;
  const { attempt, bridge } = effect;
  const argumentsJson = await argumentsOf(driver, call, signal);
  const { conversationId, runId } = driver;
  const key = { conversationId, runId, callId: call.id, attempt };
  const stopWatching = stopWithRun(driver, key, bridge, signal);
  const outcome = await askFence(driver, key, bridge).finally(stopWatching);
  if (outcome === undefined) return;
  const command = outcomeCommand(call, attempt, outcome, argumentsJson);
  if ((await driver.submit(command)) !== 'applied') await handInLate(driver, call.stepId, command);
}
