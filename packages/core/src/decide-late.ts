import { decideOutcome, finished } from './decide-run.ts';
import type { Fact } from './facts.ts';
import type { CallOutcomeCommand } from './run-commands.ts';
import type { ConversationState } from './state.ts';

/**
 * The facts of an outcome that is handed in by a process that does not own the run (any more), or after the run has
 * settled. It settles a call that is still under way or in doubt and undecided; else it is only noted, so that the log
 * shows what happened. An outcome other than a result says nothing new about such a call.
 */
export function decideLate(
  state: ConversationState,
  runId: string,
  stepId: string,
  outcome: Extract<CallOutcomeCommand, { type: 'callFinished' }>,
): readonly Fact[] {
  const run = state.run;
  if (run?.id === runId && run.status === 'open') {
    const facts = decideOutcome(run, outcome);
    if (facts.length > 0) return facts;
  }
  return [finished({ runId, stepId, callId: outcome.callId, attempt: outcome.attempt }, outcome, true)];
}
