/** The decider of what people do to a run that goes on: to a part of it, or to its pace. */
import { facts as wire } from '@stopgo/proto';
import { calledRoot, rootStep } from '../agent/step-id.ts';
import { type Fact, fact } from '../events/facts.ts';
import { withdrawnWithin } from '../interrupts/below-step.ts';
import type { IdempotencyKey } from '../state/request.ts';
import type { ConversationState, RunState } from '../state/state.ts';
import { nodeOf } from '../state/work.ts';
import { agentCanceled, stepCanceledText } from '../text/texts.ts';
import { cancelRun } from './decide-conversation.ts';

/** Why nothing of a run can be controlled: it has none, or it is over. */
export type NoOpenRun = { readonly kind: 'no_run'; readonly status: 'none' | 'completed' | 'failed' | 'canceled' };

/** Ends a step of the open run, and all below it. */
export type CancelStepCommand = {
  /** Of the step, or of the call that an agent works on. */
  readonly stepId: string;
  /** The name of who ends it; empty: nobody is named. */
  readonly by: string;
  readonly reason: string;
  readonly idempotency?: IdempotencyKey;
};

export type CancelStepDecision =
  | { readonly kind: 'append'; readonly facts: readonly Fact[] }
  | NoOpenRun
  /** It is over. */
  | { readonly kind: 'over' }
  /** The open run has no such step now. */
  | { readonly kind: 'unknown' };

/**
 * Ends a step at somebody's wish: it has failed, nobody is asked below it any more, and calls that have started there will be recorded as
 * late. Of the whole tree the run is canceled.
 */
export function cancelStep(state: ConversationState, command: CancelStepCommand): CancelStepDecision {
  const run = openRunOf(state);
  if (run === undefined) return { kind: 'no_run', status: statusOf(state) };
  const { reason, by, idempotency } = command;
  const call = run.calls[command.stepId];
  const stepId = call === undefined ? command.stepId : calledRoot(call.id);
  const keyed = idempotency === undefined ? {} : { idempotency };
  if (stepId === rootStep) {
    const canceled = cancelRun(state, { reason, ...keyed });
    return canceled.kind === 'append' ? canceled : { kind: 'over' };
  }
  const step = run.steps[stepId];
  const agent = agentAt(run, stepId);
  if (step === undefined) return { kind: hasReturned(run, stepId) ? 'over' : 'unknown' };
  if (step.finished !== undefined) return { kind: 'over' };
  const text =
    agent === undefined
      ? stepCanceledText(nodeOf(run, stepId) || stepId, by, reason)
      : agentCanceled(agent, by, reason);
  const end = { runId: run.id, stepId, cause: wire.CancelCause.PERSON, text, reason, ...keyed };
  return { kind: 'append', facts: [...withdrawnWithin(run, stepId, text), fact('stepCanceled', end)] };
}

export type PaceDecision =
  | { readonly kind: 'append'; readonly facts: readonly Fact[] }
  | NoOpenRun
  /** It is paused already, or goes on already. */
  | { readonly kind: 'already' };

/** Who changes the pace of a run, and why; both may be empty. */
export type PaceCommand = { readonly by: string; readonly reason?: string; readonly idempotency?: IdempotencyKey };

/** Has nothing new begin in the open run. */
export function pauseRun(state: ConversationState, { by, reason = '', ...keyed }: PaceCommand): PaceDecision {
  const run = openRunOf(state);
  if (run === undefined) return { kind: 'no_run', status: statusOf(state) };
  if (run.paused !== undefined) return { kind: 'already' };
  return { kind: 'append', facts: [fact('runPaused', { runId: run.id, by, reason, ...keyed })] };
}

/** Has the open run go on where it was paused. */
export function resumeRun(state: ConversationState, { by, ...keyed }: Omit<PaceCommand, 'reason'>): PaceDecision {
  const run = openRunOf(state);
  if (run === undefined) return { kind: 'no_run', status: statusOf(state) };
  if (run.paused === undefined) return { kind: 'already' };
  return { kind: 'append', facts: [fact('runResumed', { runId: run.id, by, ...keyed })] };
}

/** The agent whose root a step is; undefined if it is none, or that of the run's own. */
function agentAt(run: RunState, stepId: string): string | undefined {
  const [call] = Object.values(run.calls).filter(({ id }) => calledRoot(id) === stepId);
  return call?.called?.agent;
}

/** True for the root of an agent that has returned, as far as its caller has not gone on. */
function hasReturned(run: RunState, stepId: string): boolean {
  return Object.values(run.calls).some(({ id, phase }) => calledRoot(id) === stepId && phase === 'done');
}

function openRunOf({ run }: ConversationState): RunState | undefined {
  return run?.status === 'open' ? run : undefined;
}

function statusOf({ run }: ConversationState): NoOpenRun['status'] {
  return run === null || run.status === 'open' ? 'none' : run.status;
}
