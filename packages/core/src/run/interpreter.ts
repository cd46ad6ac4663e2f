/**
 * The run interpreter: what a run owes, computed from its state alone.
 *
 * 1. `advance` is pure: same definitions, same state, same time, same answer. A crash, a resume, a replay are all the same call.
 * 2. A node is entered only when everything before it is finished, and its step id is its position in the tree.
 * 3. An effect is named by its position; the same effect has the same id after any replay, and no two effects share one.
 * 4. Nothing that is recorded is owed again.
 */

import type { A2aNode, AgentNode, LlmNode, ParallelNode } from '../agent/definition.ts';
import { type Definitions, definitionOf } from '../agent/definitions.ts';
import { calledRoot, childStep, rootStep, turnId } from '../agent/step-id.ts';
import { withoutVariables } from '../agent/template.ts';
import { controlTools } from '../calls/control/tools.ts';
import { type Fact, fact } from '../events/facts.ts';
import { countDue, dueFacts } from '../interrupts/due.ts';
import { withdrawal } from '../interrupts/kinds/approval.ts';
import { type Completion, completionToWire } from '../state/completion.ts';
import { answerOutput, hasText, laterOutput, outputToWire, resultOutput, textOutput } from '../state/output.ts';
import { bindPlaceholders } from '../state/placeholders.ts';
import type { CallState, ConversationState, Output, RunState, StepState } from '../state/state.ts';
import { callsOf, dueAnswers, isStepDue, pendingApprovals } from '../state/work.ts';
import { continuedFailureBytesMax, remindersMax } from '../text/bounds.ts';
import { cutBytesMin, cutText } from '../text/cut.ts';
import { internalError } from '../text/errors.ts';
import {
  canceledByUser,
  delegationFailed,
  delegationRejected,
  givenUpResult,
  notCompleted,
  nothingSaid,
  pipelineFailureText,
  reminder,
  turnsUsedUp,
  turnsWithoutCompletion,
} from '../text/texts.ts';
import { returned } from './agent-calls.ts';
import type { Effect } from './effect.ts';
import { evolve } from './evolve.ts';
import { limitFacts } from './limits.ts';
import { takenBack } from './taken-back.ts';

/** What follows from a state: facts to record now, and then the effects that are owed. */
export type Advance = {
  readonly facts: readonly Fact[];
  /** The state with those facts folded in. */
  readonly state: ConversationState;
  readonly effects: readonly Effect[];
  /** Of a run that is paused: what is not to begin now, and whose outcome is taken if it is under way. Absent: nothing. */
  readonly held?: readonly Effect[];
};

/** Folds facts that are about to be recorded, as if they were. */
export function anticipate(state: ConversationState, all: readonly Fact[], now: number): ConversationState {
  let next = state;
  for (const one of all) {
    next = evolve(next, {
      stream: '',
      revision: next.revision + 1,
      eventId: '',
      time: now,
      actor: { kind: 'system', id: '' },
      causationId: '',
      correlationId: '',
      fact: one,
    });
  }
  return next;
}

/**
 * Every fact that follows from the state, and every effect that may start then and has no outcome on the record.
 *
 * @throws DomainError `internal` if the definitions lack one that the run names (see `definitionOf`), or if what follows from a time
 * that has come does not end the wait for it.
 */
export function advance(definitions: Definitions, state: ConversationState, now: number): Advance {
  const all: Fact[] = [];
  let current = state;
  for (;;) {
    const run = current.run;
    if (run === null || run.status !== 'open') return { facts: all, state: current, effects: [] };
    const due = dueFacts(run, now);
    const first = due.length > 0 ? due : takenBack(current, run);
    const owed = first.length > 0 ? { ...nothing, facts: first } : owedBy({ definitions, run, now });
    if (run.paused !== undefined && first.length === 0)
      return { facts: all, state: current, ...whilePaused(run, owed.effects) };
    if (owed.facts.length === 0) return { facts: all, state: current, effects: owed.effects };
    all.push(...owed.facts);
    current = anticipate(current, owed.facts, now);
    // What was due was told: it is over now, or whoever drives the run would never be done with it.
    if (due.length > 0 && countDue(current.run, now) >= countDue(run, now))
      throw internalError(`what is due of run ${run.id} does not end`);
  }
}

/** In a paused run what has started is found out, and nothing else begins. */
function whilePaused(run: RunState, owed: readonly Effect[]): Pick<Advance, 'effects' | 'held'> {
  const hasStarted = ({ kind, id }: Effect): boolean => kind === 'recover' && run.calls[id]?.phase === 'started';
  return { effects: owed.filter(hasStarted), held: owed.filter((one) => !hasStarted(one)) };
}

/** What one look at a node finds. */
type Owed = {
  readonly facts: readonly Fact[];
  readonly effects: readonly Effect[];
  /** A human rejected all that a model answer asked for: the run is to end. */
  readonly rejected: boolean;
};

const nothing: Owed = { facts: [], effects: [], rejected: false };

/** What a look at a node goes by. */
type Look = { readonly definitions: Definitions; readonly run: RunState; readonly now: number };

function owedBy(look: Look): Owed {
  const { run } = look;
  const root = run.steps[rootStep];
  if (root?.finished !== undefined) return only(settledBy(run, root.finished));
  const owed = visitTree(look, rootStep);
  if (owed.rejected) return endRejected(run, owed);
  if (owed.facts.length > 0 || run.paused !== undefined) return owed;
  const facts = limitFacts(look.definitions, run, owed.effects);
  return facts.length === 0 ? owed : { ...nothing, facts };
}

/** True if a rejection ends the run: what has started is awaited, and nothing begins any more. */
export function isEndedByRejection(definitions: Definitions, run: RunState): boolean {
  // The time decides nothing of that: what is due was told before.
  return run.steps[rootStep]?.finished === undefined && visitTree({ definitions, run, now: 0 }, rootStep).rejected;
}

/** Looks at an agent's whole tree: that of the run, or of one that works on a call. */
function visitTree(look: Look, root: string): Owed {
  return visit(definitionOf(look.definitions, look.run, root).agent.root, root, look);
}

function settledBy(run: RunState, finished: NonNullable<StepState['finished']>): Fact {
  if (!finished.failed) {
    const output = finished.output.length === 0 ? textOutput(nothingSaid) : finished.output;
    return fact('runCompleted', { runId: run.id, output: outputToWire(output) });
  }
  const text = finished.output.map((part) => ('text' in part ? part.text : '')).join('\n');
  const isTree = run.pipeline === true && run.agentLimits === undefined;
  return fact('runFailed', { runId: run.id, text: isTree ? pipelineFailureText(text) : text });
}

/**
 * Approvals elsewhere are withdrawn, nothing new starts, what has started is awaited; then the run is over. While it is paused nothing is
 * withdrawn: what has started is all that there is to do.
 */
function endRejected(run: RunState, owed: Owed): Owed {
  const pending = run.paused === undefined ? pendingApprovals(run) : [];
  if (pending.length > 0)
    return { ...nothing, facts: pending.map((id) => withdrawal(run, id, 'another call of the run was rejected')) };
  // A task that waits for an answer is not awaited: whoever watches it has it ended.
  const started = owed.effects.filter(({ kind, id }) => kind === 'recover' && run.calls[id]?.phase === 'started');
  if (started.length > 0) return { ...nothing, effects: started };
  return only(fact('runCompleted', { runId: run.id, output: outputToWire(textOutput(canceledByUser)) }));
}

function visit(node: AgentNode, id: string, look: Look): Owed {
  const { run } = look;
  const step = run.steps[id];
  if (step === undefined) {
    return only(stepStarted(node, id, look));
  }
  if (step.finished !== undefined) return nothing;
  switch (node.type) {
    case 'llm':
      return visitLlm(node, step, look);
    case 'a2a':
      return visitA2a(node, step, run);
    case 'sequential':
      return visitInOrder(node, step, look, (index) => childStep(id, index), 0, node.children.length);
    case 'loop': {
      const size = node.children.length;
      const stepOf = (index: number): string => childStep(id, index % size, Math.floor(index / size) + 1);
      const from = ((step.iteration?.number ?? 1) - 1) * size;
      return visitInOrder(node, step, look, stepOf, from, size * node.iterationsMax);
    }
    case 'parallel':
      return visitSideBySide(node, step, look);
  }
}

function stepStarted(node: AgentNode, stepId: string, { definitions, run }: Look): Fact {
  const { name, type: nodeType, outputKey = '' } = node;
  const written = 'prompt' in node ? node.prompt : '';
  const isTemplate = written !== '' && definitionOf(definitions, run, stepId).agent.platform !== undefined;
  const { bindings, unresolved } = bindPlaceholders(isTemplate ? withoutVariables(written) : written, run.sessionState);
  return fact('stepStarted', {
    runId: run.id,
    stepId,
    node: name,
    nodeType,
    outputKey,
    bindings: bindings.map(([key, value]) => ({ key, value: outputToWire(value) })),
    unresolvedPlaceholders: [...unresolved],
  });
}

function visitLlm(node: LlmNode, step: StepState, look: Look): Owed {
  const { run } = look;
  const calls = callsOf(step, run);
  if (!isStepDue(step, run)) return together(calls.map((call) => owedByCall(look, call)));
  const { completion } = step;
  if (completion !== undefined) {
    const failed = completion.status === 'FAILED';
    return finish(step, run, textOutput(completion.result), { completion, failed, outputKey: node.outputKey });
  }
  if (node.onReject !== 'continue' && allRejected(calls)) return { ...nothing, rejected: true };
  const { outputKey } = node;
  if (calls.some(leavesLoop)) return finish(step, run, saidIn(step), { exitLoop: true, outputKey });
  const mustComplete = completesBySaying(look, step);
  if (step.turn > 0 && calls.length === 0 && step.reminded?.turn !== step.turn) {
    if (!mustComplete) return finish(step, run, saidIn(step), { outputKey });
    const count = (step.reminded?.count ?? 0) + 1;
    if (count > remindersMax) return finish(step, run, textOutput(notCompleted(node.name)), { failed: true });
    const { id: stepId, turn } = step;
    return only(fact('stepReminded', { runId: run.id, stepId, turn, count, text: reminder, node: node.name }));
  }
  if (step.turn >= node.turnsMax && mustComplete)
    return finish(step, run, textOutput(turnsWithoutCompletion(node.name, node.turnsMax)), { failed: true });
  if (step.turn >= node.turnsMax) return finish(step, run, textOutput(turnsUsedUp), { outputKey });
  const turn = step.turn + 1;
  const { id: stepId, bindings = {} } = step;
  return { ...nothing, effects: [{ kind: 'model', id: turnId(stepId, turn), stepId, turn, node, bindings }] };
}

/** True for the step of an agent that is done only when it says so. */
function completesBySaying({ definitions, run }: Look, { id }: StepState): boolean {
  const isTree = id === rootStep || id.endsWith(`/${rootStep}`);
  return isTree && definitionOf(definitions, run, id).agent.platform?.completionRequired === true;
}

/** What a call owes: itself, or the agent that works on it. */
function owedByCall(look: Look, call: CallState): Owed {
  if (call.phase !== 'called') return { ...nothing, effects: effectOfCall(look.run, call) };
  const root = calledRoot(call.id);
  const end = look.run.steps[root]?.finished;
  return end === undefined ? visitTree(look, root) : only(returned(look, call, end));
}

/** A step begins with what was written before it in the log: not with what another branch writes in the same look. */
function together(open: readonly Owed[]): Owed {
  const all = open.flatMap(({ facts }) => facts);
  return {
    facts: [...all.filter(isStart), ...all.filter((one) => !isStart(one))],
    effects: open.flatMap(({ effects }) => effects),
    rejected: open.some(({ rejected }) => rejected),
  };
}

/** A node that sends one message: it comes to the answer. Why it failed stands in the append that recorded the failure. */
function visitA2a(node: A2aNode, step: StepState, run: RunState): Owed {
  const { id: stepId, bindings = {} } = step;
  if (step.turn === 0)
    return { ...nothing, effects: [{ kind: 'delegation', id: turnId(stepId, 1), stepId, node, bindings }] };
  const calls = callsOf(step, run);
  if (!isStepDue(step, run)) return { ...nothing, effects: calls.flatMap((call) => effectOfCall(run, call)) };
  const { outputKey = '' } = node;
  switch (calls[0]?.outcome) {
    case 'result':
    case 'happened':
      return finish(step, run, answerOutput(step.result?.revision ?? 0), { outputKey });
    case 'rejected':
      return node.onReject === 'continue' || calls[0]?.explained === true
        ? finish(step, run, textOutput(delegationRejected), { outputKey })
        : { ...nothing, rejected: true };
    case 'given_up':
      return finish(step, run, textOutput(givenUpResult), { failed: true });
    default:
      return finish(step, run, textOutput(delegationFailed), { failed: true });
  }
}

/** The last text of the step's model; without any, the last result of its calls. */
function saidIn(step: StepState): Output {
  if (step.textRevision > 0 || step.result === undefined) return answerOutput(step.textRevision);
  return resultOutput(step.result.revision);
}

/** True for a call of a tool of the platform's own that ends the enclosing loop. */
function leavesLoop({ outcome, tool }: CallState): boolean {
  return outcome === 'control' && controlTools.get(tool)?.leavesLoop === true;
}

/** True if a human was asked about some of the calls and rejected each of them, without a word that the model is to be told. */
function allRejected(calls: readonly CallState[]): boolean {
  const gated = calls.filter((call) => call.gated);
  return gated.length > 0 && gated.every((call) => call.outcome === 'rejected' && call.explained !== true);
}

function effectOfCall(run: RunState, call: CallState): Effect[] {
  const kind = call.target?.kind;
  if (call.phase === 'ready' && (kind === 'agent' || kind === 'memory' || kind === 'data'))
    return [{ kind, id: call.id }];
  if (call.phase === 'ready')
    return [{ kind: 'call', id: call.id, attempt: call.attempt + 1, fenced: !call.repeatable }];
  if (call.phase === 'started' || (call.phase === 'asking' && dueAnswers(run, call).length > 0))
    return [{ kind: 'recover', id: call.id, attempt: call.attempt, bridge: call.bridge ?? '' }];
  return [];
}

/** Looks at children that run one after the other, from a place on: those before it are finished and forgotten. */
function visitInOrder(
  node: Extract<AgentNode, { type: 'sequential' | 'loop' }>,
  step: StepState,
  look: Look,
  stepOf: (index: number) => string,
  from: number,
  to: number,
): Owed {
  const { run } = look;
  const { children, outputKey = '' } = node;
  let output: Output = step.iteration?.before ?? [];
  for (let index = from; index < to; index += 1) {
    const childId = stepOf(index);
    const finished = run.steps[childId]?.finished;
    if (finished === undefined) return visit(children[index % children.length] as AgentNode, childId, look);
    if (finished.failed) return finish(step, run, finished.output, { failed: true });
    output = laterOutput(output, finished);
    if (finished.exitLoop) return finish(step, run, output, { exitLoop: node.type !== 'loop', outputKey });
  }
  return finish(step, run, output, { outputKey });
}

function visitSideBySide({ children, onError, outputKey = '' }: ParallelNode, step: StepState, look: Look): Owed {
  const { run } = look;
  const ids = children.map((_, index) => childStep(step.id, index));
  const open = children.map((child, index) => visit(child, ids[index] as string, look));
  const ends = ids.map((id) => run.steps[id]?.finished);
  if (ends.every((end) => end !== undefined)) {
    const failures = ends.filter((end) => end.failed);
    const [failure] = failures;
    if (failure !== undefined && onError === 'fail') return finish(step, run, failure.output, { failed: true });
    const share = Math.max(cutBytesMin, Math.floor(continuedFailureBytesMax / Math.max(1, failures.length)));
    const output = ends.flatMap((end) => (end.failed ? cutOutput(end.output, share) : end.output));
    return finish(step, run, output, { exitLoop: ends.some((end) => end.exitLoop), outputKey });
  }
  return together(open);
}

function isStart(one: Fact): boolean {
  return one.case === 'stepStarted';
}

/** What a failed branch says, short: it is repeated on every level of the tree. */
function cutOutput(output: Output, bytesMax: number): Output {
  return output.map((part) => ('text' in part ? { text: cutText(part.text, bytesMax).text } : part));
}

function finish(
  step: StepState,
  run: RunState,
  output: Output,
  how: {
    readonly exitLoop?: boolean;
    readonly failed?: boolean;
    readonly outputKey?: string;
    readonly completion?: Completion;
  } = {},
): Owed {
  const runId = run.id;
  const stepId = step.id;
  const { exitLoop = false, failed = false, outputKey = '', completion } = how;
  const said = completion && { completion: completionToWire(completion) };
  const done = fact('stepFinished', { runId, stepId, output: outputToWire(output), exitLoop, failed, ...said });
  // Who only leaves a loop, and says nothing, takes nothing back of what was written before.
  const isKept = exitLoop && !hasText(output) && Object.hasOwn(run.sessionState, outputKey);
  if (outputKey === '' || isKept || (failed && completion !== undefined)) return only(done);
  return {
    ...nothing,
    facts: [fact('stateSet', { runId, stepId, key: outputKey, value: outputToWire(output) }), done],
  };
}

function only(one: Fact): Owed {
  return { ...nothing, facts: [one] };
}
