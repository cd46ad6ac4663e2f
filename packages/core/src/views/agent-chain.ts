import { callAbove } from '../agent/step-id.ts';
import type { ConversationState } from '../state/state.ts';

/** The agents of this platform that work one below another down to a step, that of the run first; none if only that one works. */
export function agentChain({ agentName, run }: ConversationState, stepId: string): readonly string[] {
  const below: string[] = [];
  for (let caller = callAbove(stepId); caller !== undefined; caller = callAbove(caller))
    below.unshift(run?.calls[caller]?.called?.agent ?? '');
  return below.length === 0 ? [] : [agentName, ...below];
}
