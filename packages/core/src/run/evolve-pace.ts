/** A run that people pause, and have go on. */
import type { FactOf } from '../events/facts.ts';
import { toBeSeen } from '../state/run-changes.ts';
import type { CallState, RunState } from '../state/state.ts';
import type { TimeLimit } from '../state/time-limit.ts';

/** Nothing new begins from here on. `at`: milliseconds since 1970. */
export function evolvePaused(run: RunState, { by, reason }: FactOf<'runPaused'>, at: number): RunState {
  return run.paused === undefined ? { ...run, paused: { by, reason, at } } : run;
}

/** The run goes on. The time in which it was paused counts for nobody. `at`: milliseconds since 1970. */
export function evolveResumed({ paused, ...run }: RunState, at: number): RunState {
  if (paused === undefined) return run;
  const pausedMs = Math.max(0, at - paused.at);
  const calls = Object.entries(run.calls).map(([id, call]) => [id, laterCall(call, pausedMs)] as const);
  return toBeSeen({ ...run, ...laterEnd(run, pausedMs), calls: Object.fromEntries(calls) });
}

function laterCall(call: CallState, ms: number): CallState {
  return call.called?.timeLimit === undefined
    ? call
    : { ...call, called: { ...call.called, ...laterEnd(call.called, ms) } };
}

function laterEnd({ timeLimit }: { readonly timeLimit?: TimeLimit }, ms: number): { readonly timeLimit?: TimeLimit } {
  return timeLimit === undefined ? {} : { timeLimit: { ...timeLimit, endsAt: timeLimit.endsAt + ms } };
}
