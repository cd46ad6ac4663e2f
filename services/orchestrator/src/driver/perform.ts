import type { Effect } from '@stopgo/core';
import { performCall } from './perform-call.ts';
import { performDelegation } from './perform-delegation.ts';
import { performModel } from './perform-model.ts';
import { recoverCall } from './recover-call.ts';
import type { RunDriver } from './run-driver.ts';
import type { Foreseen } from './under-way.ts';

/** Does what an effect asks for, and puts on the record what came of it. Rejects if something is out of reach, or broken. */
export function performEffect(
  driver: RunDriver,
  effect: Effect,
  signal: AbortSignal,
  foreseen: Foreseen | undefined,
): Promise<void> {
  switch (effect.kind) {
    case 'model':
      return performModel(driver, effect, signal, foreseen);
    case 'delegation':
      return performDelegation(driver, effect, signal);
    case 'call':
      return performCall(driver, effect, signal);
    case 'recover':
      return recoverCall(driver, effect, signal);
  }
}
