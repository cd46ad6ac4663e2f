import type { Effect } from '@stopgo/core';
import { performAgentCall } from '../calls/perform-agent-call.ts';
import { performCall } from '../calls/perform-call.ts';
import { performData } from '../calls/perform-data.ts';
import { performMemory } from '../calls/perform-memory.ts';
import { recoverCall } from '../calls/recover-call.ts';
import { performDelegation } from '../delegations/perform-delegation.ts';
import type { Foreseen } from '../handle/foreseen.ts';
import type { RunHandle } from '../handle/run-handle.ts';
import { performModel } from '../model/perform-model.ts';

/** Does what an effect asks for, and puts on the record what came of it. Rejects if something is out of reach, or broken. */
export function performEffect(
  driver: RunHandle,
  effect: Effect,
  signal: AbortSignal,
  foreseen: Foreseen | undefined,
): Promise<void> {
  switch (effect.kind) {
    case 'model':
      return performModel(driver, effect, signal, foreseen);
    case 'delegation':
      return performDelegation(driver, effect, signal);
    case 'agent':
      return performAgentCall(driver, effect, signal);
    case 'memory':
      return performMemory(driver, effect, signal);
    case 'data':
      return performData(driver, effect, signal);
    case 'call':
      return performCall(driver, effect, signal);
    case 'recover':
      return recoverCall(driver, effect, signal);
  }
}
