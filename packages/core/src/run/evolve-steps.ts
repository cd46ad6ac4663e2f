import { childStep, isBelow, iterationOfStep } from '../agent/step-id.ts';
import type { FactOf } from '../events/facts.ts';
import { laterOutput, outputFromWire } from '../state/output.ts';
import { withoutSettled, withStep } from '../state/run-changes.ts';
import type { RunState, StepState } from '../state/state.ts';

/** A step as it stands when it begins. */
export function startedStep(started: FactOf<'stepStarted'>, isPipeline: boolean): StepState {
  const { stepId: id, node, nodeType, outputKey } = started;
  const type = nodeType as StepState['type'];
  const bindings = started.bindings.map(({ key, value }) => [key, outputFromWire(value)] as const);
  return {
    id,
    type,
    turn: 0,
    callIds: [],
    answerRevision: 0,
    textRevision: 0,
    ...(bindings.length === 0 ? {} : { bindings: Object.fromEntries(bindings) }),
    ...(isPipeline ? { node, ...(outputKey === '' ? {} : { outputKey }) } : {}),
  };
}

/** The first step of another iteration: those before it are of no further use but for what they came to. */
export function withIterationOf(run: RunState, stepId: string): RunState {
  const place = run.pipeline === true ? iterationOfStep(stepId) : undefined;
  const loop = place === undefined ? undefined : run.steps[place.loop];
  if (place === undefined || loop === undefined) return run;
  const iteration = loop.iteration ?? { number: 1, before: [] };
  if (place.iteration <= iteration.number) return run;
  let { before } = iteration;
  for (let index = 0; ; index += 1) {
    const end = run.steps[childStep(loop.id, index, iteration.number)]?.finished;
    if (end === undefined) break;
    before = laterOutput(before, end);
  }
  const steps = Object.fromEntries(Object.entries(run.steps).filter(([id]) => !isBelow(id, loop.id)));
  return withStep(withoutSettled({ ...run, steps }), { ...loop, iteration: { number: place.iteration, before } });
}
