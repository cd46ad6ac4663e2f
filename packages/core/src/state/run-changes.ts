import { isBelow } from '../agent/step-id.ts';
import { decisionOn, type Interrupt } from './interrupt.ts';
import type { SharedValue } from './run-data.ts';
import type { CallState, RunState, StepState } from './state.ts';

/** The run with a step as it is now. */
export function withStep(run: RunState, step: StepState): RunState {
  return { ...run, steps: { ...run.steps, [step.id]: step } };
}

/** The run with a change of one of its calls; of one that is done nothing changes any more. */
export function withCall(run: RunState, callId: string, change: Partial<CallState>): RunState {
  const call = run.calls[callId];
  if (call === undefined || call.phase === 'done') return run;
  return { ...run, calls: { ...run.calls, [callId]: { ...call, ...change } } };
}

/** Somebody changes what follows from a run. Who owns it looks in any case: so does whoever takes it from them. */
export function toBeSeen(run: RunState): RunState {
  return run.owner === null ? { ...run, toBeSeen: true } : run;
}

/** Whoever drives the run has looked at what others have changed of it. */
export function withAllSeen(run: RunState): RunState {
  const { toBeSeen: _, ...seen } = run;
  return run.toBeSeen === undefined ? run : seen;
}

/** A step's insides are of no further use once it is over: what it came to is its output. */
export function withoutDescendants(run: RunState, stepId: string): RunState {
  const steps = Object.fromEntries(Object.entries(run.steps).filter(([id]) => !isBelow(id, stepId)));
  const calls = Object.fromEntries(
    Object.entries(run.calls).filter(([, call]) => call.stepId !== stepId && !isBelow(call.stepId, stepId)),
  );
  return { ...run, steps, calls };
}

/** A call of a pipeline's step had a result that says something. */
export function withResult(run: RunState, callId: string, revision: number): RunState {
  const step = run.steps[run.calls[callId]?.stepId ?? ''];
  const index = step?.callIds.indexOf(callId) ?? -1;
  if (run.pipeline !== true || step === undefined || (step.result?.index ?? -1) > index) return run;
  return withStep(run, { ...step, result: { revision, index } });
}

/** Calls go with their steps, and with them what was decided of them: the views know it. */
export function withoutSettled(run: RunState): RunState {
  const isOfUse = (one: Interrupt): boolean =>
    one.kind !== 'approval' || decisionOn(one) === undefined || one.callId in run.calls;
  return { ...run, interrupts: Object.fromEntries(Object.entries(run.interrupts).filter(([, one]) => isOfUse(one))) };
}

/** The run once a value is written: instead of the one that was there. */
export function withShared(run: RunState, value: SharedValue): RunState {
  const { data = [] } = run;
  return { ...run, data: [...data.filter(({ key }) => key !== value.key), value] };
}

/** The run once nothing is shared under a key any more. */
export function withoutShared(run: RunState, key: string): RunState {
  const { data = [], ...rest } = run;
  const left = data.filter((one) => one.key !== key);
  return left.length === 0 ? rest : { ...rest, data: left };
}
