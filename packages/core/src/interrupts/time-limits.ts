/** Agents whose time is over. */
import { facts as wire } from '@stopgo/proto';
import { calledRoot, rootStep } from '../agent/step-id.ts';
import { type Fact, fact } from '../events/facts.ts';
import type { RunState } from '../state/state.ts';
import type { TimeLimit } from '../state/time-limit.ts';
import { agentTookTooLong, runTookTooLong } from '../text/texts.ts';
import { withdrawnWithin } from './below-step.ts';

/** The time of an agent that works in an open run. */
export type RunningTime = TimeLimit & {
  /** Of its root. */
  readonly stepId: string;
  /** Absent: it is the run's own. */
  readonly agent?: string;
};

/** Those that end by themselves, of a run that is not paused, the first to end at the front; of those that end together the outermost. */
export function runningTimes({ status, paused, timeLimit, steps, calls }: RunState): RunningTime[] {
  if (status !== 'open' || paused !== undefined) return [];
  const times: RunningTime[] = timeLimit === undefined ? [] : [{ ...timeLimit, stepId: rootStep }];
  for (const { id, phase, called } of Object.values(calls))
    if (phase === 'called' && called?.timeLimit !== undefined)
      times.push({ ...called.timeLimit, stepId: calledRoot(id), agent: called.agent });
  const isOver = ({ stepId }: RunningTime): boolean => steps[stepId]?.finished !== undefined;
  return times
    .filter((one) => !isOver(one))
    .sort((one, other) => one.endsAt - other.endsAt || one.stepId.length - other.stepId.length);
}

/** The facts of one whose time is over: nothing below it is waited for any more, and whoever called it is told. */
export function timeOver(run: RunState, { stepId, agent, lastsMs }: RunningTime): Fact[] {
  const text = agent === undefined ? runTookTooLong(lastsMs) : agentTookTooLong(agent, lastsMs);
  const runId = run.id;
  const end =
    agent === undefined
      ? fact('runFailed', { runId, text })
      : fact('stepCanceled', { runId, stepId, cause: wire.CancelCause.TIME, text });
  return [...withdrawnWithin(run, stepId, text), end];
}
