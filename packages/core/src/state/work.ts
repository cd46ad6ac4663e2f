import { digestsOf } from '../agent/definitions.ts';
import { serverOf } from '../events/target.ts';
import { decisionOn, interruptsOf, serverQuestions } from './interrupt.ts';
import type { AskedQuestion, CallState, ConversationState, LeftElsewhere, RunState, StepState } from './state.ts';

/**
 * True if a process could do something for the run now, without a human: a call may run or may have run, or a step is
 * due. Says the same as `advance` with the agent's definition (a property test holds the two together).
 */
export function hasWork(run: RunState): boolean {
  if (run.status !== 'open') return false;
  // What is under way is found out; nothing else is to be done.
  if (run.paused !== undefined) return Object.values(run.calls).some(({ phase }) => phase === 'started');
  if (run.toBeSeen === true) return true;
  for (const call of Object.values(run.calls)) {
    if (call.phase === 'ready' || call.phase === 'started') return true;
    if (call.phase === 'asking' && dueAnswers(run, call).length > 0) return true;
  }
  for (const step of Object.values(run.steps)) if (isStepDue(step, run)) return true;
  return false;
}

/** True if this is the attempt of the call that is being made, as far as the record tells. */
export function isUnderWay(call: CallState, attempt: number): boolean {
  if (call.phase === 'started' || call.phase === 'asking') return call.attempt === attempt;
  return call.phase === 'ready' && call.repeatable && attempt === call.attempt + 1;
}

/**
 * True if all that a run has to do waits for people, though calls of it are under way: their servers have asked something. Other
 * calls of such a server count for nothing: they may have to wait for their turn until it is answered. Such a run is owned, so that
 * whatever becomes of these calls is learnt.
 */
function onlyAsks(run: RunState): boolean {
  const asked = serverQuestions(run);
  // A model that is asked is work, also where people are asked in the midst of the same call.
  if (asked.length === 0 || asked.some(({ kind }) => kind === 'sampling')) return false;
  const asking = new Set(asked.map(({ server }) => server.server));
  const calls = Object.entries(run.calls).map(
    ([id, call]) => [id, asking.has(serverOf(call.target)) ? ({ ...call, phase: 'blocked' } as const) : call] as const,
  );
  return !hasWork({ ...run, calls: Object.fromEntries(calls) });
}

/** True if the step makes calls, and none is left of those that it asked for last: it asks for more, or it finishes. */
export function isStepDue(step: StepState, run: RunState): boolean {
  if (step.type !== 'llm' && step.type !== 'a2a') return false;
  return step.finished === undefined && callsOf(step, run).every((call) => call.phase === 'done');
}

/** The questions of the call's agent that were decided here and whose answers are not on the record: none while it needs a token. */
export function dueAnswers(run: RunState, { id, sent }: CallState): readonly AskedQuestion[] {
  const due = (sent?.questions ?? []).filter(({ verdict, messageId }) => verdict !== undefined && !messageId);
  return due.length > 0 && interruptsOf(run, 'auth').some(({ callId }) => callId === id) ? [] : due;
}

/**
 * The calls whose agents wait for answers; of a run that has ended here, all whose agents were not heard to end their tasks:
 * whoever was about to find out may be gone.
 */
export function parkedCalls(run: RunState | null): CallState[] {
  const isOpen = run?.status === 'open';
  return Object.values(run?.calls ?? {}).filter(
    ({ phase, sent }) => phase === 'asking' || (!isOpen && phase === 'started' && sent !== undefined),
  );
}

/** The same of the whole conversation, each with the run that it is of, oldest first. */
export function parkedTasks({ run, leftElsewhere = [] }: ConversationState): LeftElsewhere[] {
  if (run === null) return [...leftElsewhere];
  const parked = parkedCalls(run).map((call) => {
    const { agentDigest } = digestsOf(run, call.stepId);
    return { runId: run.id, agentDigest, call };
  });
  return [...leftElsewhere, ...parked];
}

/** Name of the node that a step executes, as facts are told it; empty if the agent has only one. */
export function nodeOf(run: RunState, stepId: string): string {
  return run.steps[stepId]?.node ?? '';
}

/** The calls of a step's last answer, in the model's order. */
export function callsOf(step: StepState, run: RunState): CallState[] {
  return step.callIds.map((id) => run.calls[id]).filter((call) => call !== undefined);
}

/** Ids of the approvals that are pending, oldest first. */
export function pendingApprovals(run: RunState | null): string[] {
  if (run === null || run.status !== 'open') return [];
  return interruptsOf(run, 'approval').flatMap((one) => (decisionOn(one) === undefined ? [one.id] : []));
}

/** How a conversation's latest run stands, as clients see it. */
export type RunStanding = 'none' | 'working' | 'waiting' | 'completed' | 'failed' | 'canceled';

/** Working: owned, or something to do. Waiting: only interrupts are left, or calls in the midst of which people were asked. */
export function runStanding(state: ConversationState): RunStanding {
  const run = state.run;
  if (run === null) return 'none';
  if (run.status !== 'open') return run.status;
  return (run.owner !== null || hasWork(run)) && !onlyAsks(run) ? 'working' : 'waiting';
}

/**
 * Whether an event may still come that names what a call brought: its run goes on, and the call has no result yet. An outcome that is
 * handed in later is only noted, and names nothing (see `decideLate`). So what this says of a state holds for all that follow it:
 * once false, it stays false.
 */
export function mayStillNameBlobs({ run }: ConversationState, runId: string, callId: string): boolean {
  if (run === null || run.id !== runId || run.status !== 'open' || !Object.hasOwn(run.calls, callId)) return false;
  return run.calls[callId]?.phase !== 'done';
}
