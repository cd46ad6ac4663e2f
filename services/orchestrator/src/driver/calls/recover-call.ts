import type { CallOutcomeCommand, CallState, Effect } from '@stopgo/core';
import { answerDelegation } from '../delegations/answer-delegation.ts';
import { delegationCommand } from '../delegations/delegation-outcome.ts';
import { endUnanswered, lookUpDelegation } from '../delegations/send-delegation.ts';
import { argumentsOf } from '../handle/call-arguments.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { stopWithRun } from '../handle/stop-call.ts';
import { askFence } from '../questions/ask-fence.ts';
import { handInLate } from './hand-in-late.ts';
import { outcomeCommand } from './outcomes.ts';

/** Finds out what became of an attempt that is on the record and not under way here, and records it. */
export async function recoverCall(
  driver: RunHandle,
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
function goneOn(driver: RunHandle, call: CallState, argumentsJson: string, signal: AbortSignal) {
  const isAsked = (call.sent?.questions ?? []).length > 0;
  return (isAsked ? answerDelegation : lookUpDelegation)(driver, call, argumentsJson, signal);
}

async function recovered(
  driver: RunHandle,
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
