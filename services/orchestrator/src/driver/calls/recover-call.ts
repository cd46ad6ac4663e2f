import type { Effect } from '@stopgo/core';
import { endUnanswered } from '../delegations/send-delegation.ts';
import { argumentsOf } from '../handle/call-arguments.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { handInLate } from './hand-in-late.ts';
import { wayOf } from './ways.ts';

/** Finds out what became of an attempt that is on the record and not under way here, and records it. */
export async function recoverCall(
  driver: RunHandle,
  effect: Extract<Effect, { kind: 'recover' }>,
  signal: AbortSignal,
): Promise<void> {
  const call = driver.state.run?.calls[effect.id];
  const way = wayOf(call?.target);
  if (call === undefined || way === undefined) return;
  const argumentsJson = await argumentsOf(driver, call, signal);
  const command = await way.recover(driver, call, effect, argumentsJson, signal);
  if (command === undefined) return;
  if ((await driver.submit(command)) !== 'applied') await handInLate(driver, call.stepId, command, argumentsJson);
  else endUnanswered(driver, call, command, argumentsJson);
}
