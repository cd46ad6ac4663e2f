import type { CallOutcomeCommand, CallState, Effect } from '@stopgo/core';
import { answerDelegation } from './answer-delegation.ts';
import { askFence } from './ask-fence.ts';
import { argumentsOf } from './call-arguments.ts';
import { handInLate } from './hand-in-late.ts';
import { delegationCommand, outcomeCommand } from './outcomes.ts';
import type { RunDriver } from './run-driver.ts';
import { endUnanswered, lookUpDelegation } from './send-delegation.ts';
import { stopWithRun } from './stop-call.ts';

/** Finds out what became of an attempt that is on the record and not under way here, and records it. */
export async function recoverCall(
  driver: RunDriver,
  effect: Extract<Effect, { kind: 'recover' }>,
  signal: AbortSignal,
): Promise<void> {
  const call = driver.state.run?.calls[effect.id];
  if (call === undefined) return;
  const argumentsJson = await argumentsOf(driver, call, signal);
  const command =
    call.agent === undefined
      ? await recovered(driver, call, effect, argumentsJson, signal)
      : delegationCommand(call, await goneOn(driver, call, argumentsJson, signal), argumentsJson);
  if (command === undefined) return;
  if ((await driver.submit(command)) !== 'applied') await handInLate(driver, call.stepId, command, argumentsJson);
  else endUnanswered(driver, call, command, argumentsJson);
}

/** Once its agent has asked something here, it may have to be answered. */
function goneOn(driver: RunDriver, call: CallState, argumentsJson: string, signal: AbortSignal) {
  const isAsked = (call.sent?.questions ?? []).length > 0;
  return (isAsked ? answerDelegation : lookUpDelegation)(driver, call, argumentsJson, signal);
}

async function recovered(
  driver: RunDriver,
  call: CallState,
  { attempt, bridge }: Extract<Effect, { kind: 'recover' }>,
  argumentsJson: string,
  signal: AbortSignal,
): Promise<CallOutcomeCommand | undefined> {
  const { conversationId, runId } = driver;
  const key = { conversationId, runId, callId: call.id, attempt };
  const stopWatching = stopWithRun(driver, signal, () => driver.ports.tools.cancel(key, bridge));
  const outcome = await askFence(driver, key, bridge).finally(stopWatching);
  return outcome === undefined ? undefined : outcomeCommand(call, attempt, outcome, argumentsJson);
}
