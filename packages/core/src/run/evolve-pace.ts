/** A run that people pause, and have go on. */
import { callAbove, rootStep } from '../agent/step-id.ts';
import type { FactOf } from '../events/facts.ts';
import { limitUsesFromWire, newLimitsFromWire } from '../state/given-limits.ts';
import { toBeSeen } from '../state/run-changes.ts';
import type { CallState, RunState } from '../state/state.ts';
import type { TimeLimit } from '../state/time-limit.ts';

/** Nothing new begins from here on. `at`: milliseconds since 1970. */
export function evolvePaused(run: RunState, paused: FactOf<'runPaused'>, at: number): RunState {
  if (run.paused !== undefined) return run;
  const { by, reason, limitStepId, limitAgent: agent } = paused;
  const limit = agent === '' ? {} : { limit: { agent, reached: limitUsesFromWire(paused.reached) } };
  return { ...run, paused: { by, reason, at, ...(limitStepId === '' ? {} : { limitStepId }), ...limit } };
}

/** The run goes on. The time in which it was paused counts for nobody. `at`: milliseconds since 1970. */
export function evolveResumed({ paused, ...run }: RunState, resumed: FactOf<'runResumed'>, at: number): RunState {
  if (paused === undefined) return run;
  const pausedMs = Math.max(0, at - paused.at);
  const calls = Object.entries(run.calls).map(([id, call]) => [id, laterCall(call, pausedMs)] as const);
  const later = { ...run, ...laterEnd(run, pausedMs), calls: Object.fromEntries(calls) };
  return toBeSeen(paused.limitStepId === undefined ? later : withMore(later, paused.limitStepId, resumed));
}

/** An agent may use as much again, or what a person says. */
function withMore(run: RunState, root: string, resumed: FactOf<'runResumed'>): RunState {
  if (root === rootStep) return { ...run, ...moreOf(run, resumed) };
  const call = run.calls[callAbove(root) ?? ''];
  if (call?.called === undefined) return run;
  const called = { ...call.called, ...moreOf(call.called, resumed) };
  return { ...run, calls: { ...run.calls, [call.id]: { ...call, called } } };
}

type Limited = Pick<RunState, 'limitTimes' | 'givenLimits'>;

function moreOf({ limitTimes = 1, givenLimits }: Limited, { limits }: FactOf<'runResumed'>): Limited {
  if (limits.length === 0) return { limitTimes: limitTimes + 1 };
  const given = newLimitsFromWire(limits).map(({ kind, most }) => [kind, { most, since: limitTimes }] as const);
  return { givenLimits: { ...givenLimits, ...Object.fromEntries(given) } };
}

function laterCall(call: CallState, ms: number): CallState {
  return call.called?.timeLimit === undefined
    ? call
    : { ...call, called: { ...call.called, ...laterEnd(call.called, ms) } };
}

function laterEnd({ timeLimit }: { readonly timeLimit?: TimeLimit }, ms: number): { readonly timeLimit?: TimeLimit } {
  return timeLimit === undefined ? {} : { timeLimit: { ...timeLimit, endsAt: timeLimit.endsAt + ms } };
}
