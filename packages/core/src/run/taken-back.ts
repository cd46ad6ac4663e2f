/** Calls that a standing approval let run, which somebody took back before they began. */
import { delegatingNode, failedDelegation, finished } from '../calls/finished.ts';
import type { Fact } from '../events/facts.ts';
import { remoteOf } from '../events/target.ts';
import { approvalIn } from '../state/interrupt.ts';
import type { CallState, ConversationState, RunState } from '../state/state.ts';
import { standingTakenBack } from '../text/texts.ts';

/**
 * True if a call must not begin: what let it run does not stand any more. Only for a call that is started on the record first; one
 * that is safe to repeat may be under way, and nobody could tell that it has not run.
 */
export function isTakenBack({ run, standing = [] }: ConversationState, call: CallState): boolean {
  if (call.phase !== 'ready' || call.repeatable || call.approvalId === undefined) return false;
  const standingId = approvalIn(run, call.approvalId)?.standingId;
  return standingId !== undefined && !standing.some(({ id }) => id === standingId);
}

/** The facts that these calls of the open run have failed: a model that still wants one asks for it anew, and people are asked. */
export function takenBack(state: ConversationState, run: RunState): Fact[] {
  const calls = Object.values(run.calls).filter((call) => isTakenBack(state, call));
  return calls.flatMap(({ id: callId, stepId, attempt: last, tool, target }) => {
    const agent = remoteOf(target);
    const content = standingTakenBack;
    // The attempt that does not begin.
    const attempt = last + 1;
    const place = { runId: run.id, stepId, callId, attempt };
    const outcome = {
      ...{ type: 'callFinished' as const, callId, attempt, tool, content, isError: true, durationMs: 0 },
      ...(agent === '' ? {} : { by: { agent } }),
    };
    const node = run.steps[stepId]?.type === 'a2a' ? [failedDelegation(run, stepId, content)] : [];
    return [finished(place, outcome, delegatingNode(run, stepId)), ...node];
  });
}
