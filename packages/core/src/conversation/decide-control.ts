/** The decider of what people do to a run that goes on: to a part of it, or to its pace. */
import { facts as wire } from '@stopgo/proto';
import { calledRoot, rootStep } from '../agent/step-id.ts';
import { type Fact, fact } from '../events/facts.ts';
import { withdrawnWithin } from '../interrupts/below-step.ts';
import { isUsedUp, usedAt } from '../run/limits.ts';
import { type NewLimit, newLimitToWire } from '../state/given-limits.ts';
import type { IdempotencyKey } from '../state/request.ts';
import type { ConversationState, RunState } from '../state/state.ts';
import { nodeOf } from '../state/work.ts';
import type { LimitKind } from '../text/limit-words.ts';
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

/** What is to go on, and what the agent whose limit has stopped it may use then: each kind at most once; none: as much again. */
export type ResumeCommand = Omit<PaceCommand, 'reason'> & { readonly limits?: readonly NewLimit[] };

export type ResumeDecision =
  | PaceDecision
  /** New limits are given, and no agent that works waits at one. */
  | { readonly kind: 'not_at_limit' }
  /** More is given than the configuration allows, which is `most`. */
  | { readonly kind: 'beyond'; readonly limit: LimitKind; readonly most: number }
  /** It is used up already, so that the run would be paused at once. `isGiven`: of a new limit; else it is none of those. */
  | { readonly kind: 'used_up'; readonly limit: LimitKind; readonly used: number; readonly isGiven: boolean };

/** Has the open run go on where it was paused. */
export function resumeRun(state: ConversationState, { by, limits = [], ...keyed }: ResumeCommand): ResumeDecision {
  const run = openRunOf(state);
  if (run === undefined) return { kind: 'no_run', status: statusOf(state) };
  const resumed = { runId: run.id, by, ...keyed };
  if (limits.length === 0)
    return run.paused === undefined ? { kind: 'already' } : { kind: 'append', facts: [fact('runResumed', resumed)] };
  const { limitStepId } = run.paused ?? {};
  if (limitStepId === undefined) return { kind: 'not_at_limit' };
  const inTheWay = problemOfLimits(run, limitStepId, limits);
  if (inTheWay !== undefined) return inTheWay;
  const given = {
    limits: limits.map(newLimitToWire),
    limitStepId,
    limitAgent: agentAt(run, limitStepId) ?? state.agentName,
  };
  return { kind: 'append', facts: [fact('runResumed', { ...resumed, ...given })] };
}

/** Why an agent does not go on with new limits; undefined if it does. `root`: of its tree. */
function problemOfLimits(run: RunState, root: string, limits: readonly NewLimit[]): ResumeDecision | undefined {
  const callsMax = run.agentLimits?.callsMax;
  for (const { kind, most } of limits) {
    const used = usedAt(run, root, kind);
    if (used === undefined) return { kind: 'not_at_limit' };
    if (kind === 'agent_calls' && callsMax !== undefined && most > callsMax)
      return { kind: 'beyond', limit: kind, most: callsMax };
    if (isUsedUp({ kind, used, most })) return { kind: 'used_up', limit: kind, used, isGiven: true };
  }
  const left = run.paused?.limit?.reached.find((one) => !limits.some(({ kind }) => kind === one.kind));
  return left && { kind: 'used_up', limit: left.kind, used: left.used, isGiven: false };
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
