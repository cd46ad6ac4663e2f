/** A run that people pause, and have go on. */
import { callAbove, rootStep } from '../agent/step-id.ts';
import type { FactOf } from '../events/facts.ts';
import { toBeSeen } from '../state/run-changes.ts';
import type { CallState, RunState } from '../state/state.ts';
import type { TimeLimit } from '../state/time-limit.ts';

/** Nothing new begins from here on. `at`: milliseconds since 1970. */
export function evolvePaused(run: RunState, { by, reason, limitStepId }: FactOf<'runPaused'>, at: number): RunState {
  if (run.paused !== undefined) return run;
  return { ...run, paused: { by, reason, at, ...(limitStepId === '' ? {} : { limitStepId }) } };
}

/** The run goes on. The time in which it was paused counts for nobody. `at`: milliseconds since 1970. */
export function evolveResumed({ paused, ...run }: RunState, at: number): RunState {
  if (paused === undefined) return run;
  const pausedMs = Math.max(0, at - paused.at);
  const calls = Object.entries(run.calls).map(([id, call]) => [id, laterCall(call, pausedMs)] as const);
  const later = { ...run, ...laterEnd(run, pausedMs), calls: Object.fromEntries(calls) };
  return toBeSeen(paused.limitStepId === undefined ? later : withMore(later, paused.limitStepId));
}

/** An agent may use as much again. */
function withMore(run: RunState, root: string): RunState {
  if (root === rootStep) return { ...run, limitTimes: (run.limitTimes ?? 1) + 1 };
  const call = run.calls[callAbove(root) ?? ''];
  if (call?.called === undefined) return run;
  const called = { ...call.called, limitTimes: (call.called.limitTimes ?? 1) + 1 };
  return { ...run, calls: { ...run.calls, [call.id]: { ...call, called } } };
}

function laterCall(call: CallState, ms: number): CallState {
  return call.called?.timeLimit === undefined
    ? call
    : { ...call, called: { ...call.called, ...laterEnd(call.called, ms) } };
}

function laterEnd({ timeLimit }: { readonly timeLimit?: TimeLimit }, ms: number): { readonly timeLimit?: TimeLimit } {
  return timeLimit === undefined ? {} : { timeLimit: { ...timeLimit, endsAt: timeLimit.endsAt + ms } };
}
