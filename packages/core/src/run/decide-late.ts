import type { Definitions } from '../agent/definitions.ts';
import { finished } from '../calls/finished.ts';
import type { CallOutcomeCommand } from '../calls/outcome.ts';
import { type Fact, fact } from '../events/facts.ts';
import type { CallState, ConversationState } from '../state/state.ts';
import { decideOutcome } from './decide-outcome.ts';

/** What a call has come to needs none. */
const noDefinitions: Definitions = { agents: new Map(), toolsets: new Map() };

/** An outcome that says something new even when it comes late. */
export type LateOutcome = Extract<CallOutcomeCommand, { type: 'callFinished' | 'callUnknown' }>;

/**
 * The facts of an outcome that is handed in by a process that does not own the run (any more), or after the run has
 * settled. A result settles a call that is still under way or in doubt and undecided; one that is on the record already
 * leaves nothing; else it is only noted, so that the log shows what happened. That nobody can tell how a call ended is
 * noted of a run that has settled, and of a step that was ended; else it is for the owner of the run to find out. That a sender
 * of a delegation was not heard is only noted once the record names the task that the agent made of it: another sender was.
 */
export function decideLate(
  state: ConversationState,
  runId: string,
  stepId: string,
  outcome: LateOutcome,
): readonly Fact[] {
  const { callId, attempt } = outcome;
  const run = state.run?.id === runId && state.run.status === 'open' ? state.run : undefined;
  if (outcome.type === 'callUnknown') {
    const { reason } = outcome;
    // Nobody finds out any more what became of a step that was ended.
    const isLeft = state.leftElsewhere?.some((one) => one.runId === runId && one.call.id === callId) === true;
    return run === undefined || isLeft ? [fact('toolCallInDoubt', { runId, stepId, callId, attempt, reason })] : [];
  }
  if (run !== undefined && !isOfUnheard(run.calls[callId], outcome)) {
    // What has ended asks nobody anything: no time is looked at.
    const facts = decideOutcome(run, outcome, { definitions: noDefinitions, now: 0 });
    if (facts.length > 0) return facts;
    const call = run.calls[callId];
    const isRecorded = call?.attempt === attempt && (call.outcome === 'result' || call.outcome === 'error');
    if (isRecorded) return [];
  }
  return [finished({ runId, stepId, callId, attempt }, outcome, '', true)];
}

/** True if it tells of a sender that reached no task, of a call whose task is on the record. */
function isOfUnheard(call: CallState | undefined, outcome: LateOutcome): boolean {
  if (outcome.type !== 'callFinished' || outcome.by === undefined) return false;
  return outcome.isError && outcome.by.task === undefined && (call?.sent?.taskId ?? '') !== '';
}
