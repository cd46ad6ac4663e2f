/** A step that ends before it is done. */
import { digestsOf } from '../agent/definitions.ts';
import { callAbove, calledRoot } from '../agent/step-id.ts';
import type { FactOf } from '../events/facts.ts';
import { isWithin } from '../interrupts/below-step.ts';
import { isAwaited } from '../interrupts/evolve-questions.ts';
import { toBeSeen, withoutDescendants, withStep } from '../state/run-changes.ts';
import type { ConversationState, LeftElsewhere, RunState, StepState } from '../state/state.ts';
import { leftElsewhereMax } from '../text/bounds.ts';
import { withCallerUsage } from './evolve-agents.ts';

/**
 * The conversation once a step was ended: it has failed, and nothing below it is known any more but the tasks that other agents are to
 * end still.
 */
export function evolveCanceled(
  state: ConversationState,
  run: RunState,
  { stepId, text }: FactOf<'stepCanceled'>,
): ConversationState {
  const step = run.steps[stepId] ?? unbegun(run, stepId);
  if (run.status !== 'open' || step === undefined || step.finished !== undefined) return state;
  const within = Object.values(run.calls).filter((call) => isWithin(call.stepId, stepId));
  const left = within
    .filter((call) => isAwaited(call) && call.sent !== undefined)
    .map((call): LeftElsewhere => {
      const { agentDigest } = digestsOf(run, call.stepId);
      return { runId: run.id, agentDigest, call };
    });
  // What agents below have used counts for whoever called them, the innermost first.
  const counted = within
    .toSorted((one, other) => other.id.length - one.id.length)
    .reduce((now, { id, stepId: caller }) => {
      const used = now.calls[id]?.called?.usage;
      return used === undefined ? now : withCallerUsage(now, caller, used);
    }, run);
  const finished = { output: [{ text }], exitLoop: false, failed: true };
  const ended = withStep(withoutDescendants(counted, stepId), { ...step, finished });
  const interrupts = Object.entries(ended.interrupts).filter(([, one]) => one.callId in ended.calls);
  const leftElsewhere = [...(state.leftElsewhere ?? []), ...left].slice(-leftElsewhereMax);
  return {
    ...state,
    run: { ...toBeSeen(ended), interrupts: Object.fromEntries(interrupts) },
    ...(leftElsewhere.length === 0 ? {} : { leftElsewhere }),
  };
}

/** The root of an agent that was called and has not begun. */
function unbegun(run: RunState, stepId: string): StepState | undefined {
  const call = run.calls[callAbove(stepId) ?? ''];
  if (call?.phase !== 'called' || stepId !== calledRoot(call.id)) return undefined;
  return { id: stepId, type: 'llm', turn: 0, callIds: [], answerRevision: 0, textRevision: 0 };
}
