/** What is asked at a step and below it, by whatever agents work there. */
import { isBelow, stepOfCall } from '../agent/step-id.ts';
import type { Fact } from '../events/facts.ts';
import { decisionOn, type Interrupt } from '../state/interrupt.ts';
import type { RunState } from '../state/state.ts';
import { withdrawalsPerAppendMax } from '../text/bounds.ts';
import { withdrawal } from './kinds/approval.ts';
import { inputWithdrawal } from './kinds/of-server.ts';

/** True for a step itself, and for what is below it. */
export function isWithin(stepId: string, step: string): boolean {
  return stepId === step || isBelow(stepId, step);
}

/** Facts that nobody is asked there any more, as many as fit an append: with the step the others end all the same. */
export function withdrawnWithin(run: RunState, stepId: string, reason: string): Fact[] {
  const asked = Object.values(run.interrupts).filter((one) => isWithin(stepOfCall(one.callId), stepId));
  return asked.flatMap((one) => withdrawn(run, one, reason)).slice(0, withdrawalsPerAppendMax);
}

function withdrawn(run: RunState, one: Interrupt, reason: string): Fact[] {
  switch (one.kind) {
    case 'approval':
      return decisionOn(one) === undefined ? [withdrawal(run, one.id, reason)] : [];
    case 'input':
    case 'request':
    case 'sampling':
      return [inputWithdrawal(run, one.id, one.callId, reason)];
    case 'auth':
      // Nobody who brings a token later is told that it is not needed any more.
      return [];
  }
}
