/**
 * The agents that worked on a run, each with what it was given, what it came to and what it used: read from the events of that run, whether
 * they are done or not. The state forgets who is done.
 */
import { facts } from '@stopgo/proto';
import type { AgentSource } from '../agent/calling.ts';
import { callAbove, calledRoot, rootStep, stepOfCall } from '../agent/step-id.ts';
import { agentCallOf } from '../calls/agent.ts';
import { controlTools } from '../calls/control/tools.ts';
import type { FactOf, RecordedFact } from '../events/facts.ts';
import { isWithin } from '../interrupts/below-step.ts';
import type { WaitKind } from '../interrupts/kinds/kind.ts';
import { openInterrupts } from '../interrupts/kinds.ts';
import { type Completion, completionOf } from '../state/completion.ts';
import { type NewLimit, newLimitsFromWire } from '../state/given-limits.ts';
import { outputFromWire, outputText } from '../state/output.ts';
import { sourceFromWire } from '../state/source.ts';
import type { ConversationState, RunState } from '../state/state.ts';
import { nothingSpent, plus, type Spent, spentByAnswer } from '../state/usage.ts';
import { canceledText } from '../text/texts.ts';

/**
 * Where an agent stands. Blocked on input: people are asked, by it or below it; blocked on a dependency: it waits for an agent that it
 * called, and nobody is asked.
 */
export type AgentStepState =
  | 'WORKING'
  | 'BLOCKED_ON_INPUT'
  | 'BLOCKED_ON_DEPENDENCY'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELED';

/** What a step waits for: the work of another agent (`agent`, by the id of that step), or what people are asked, by its id. */
export type AgentStepWait = { readonly kind: 'agent' | WaitKind; readonly id: string };

/** Who or what ended an agent's work before it was done: a person, its time limit, or a limit of what it may use. */
export type AgentStepEnder = 'person' | 'time' | 'limit';

/** One agent's work on the run's message, or on a call of another agent. */
export type AgentStep = {
  /** Of the root of its tree. */
  readonly id: string;
  readonly agent: string;
  /** The agent's work that called it; absent: it is the run's own agent. */
  readonly parent?: string;
  readonly state: AgentStepState;
  /** What it waits for itself; absent: nothing. */
  readonly waitsFor?: readonly AgentStepWait[];
  /** Why it failed or was canceled, in words; absent: it did not, or nothing is known. */
  readonly error?: string;
  /** Absent: nobody did, or the end of the whole run. */
  readonly endedBy?: AgentStepEnder;
  /** Its task. */
  readonly input: string;
  /** What it said that came of it; absent: it has not, or needed not. */
  readonly completion?: Completion;
  /** Absent: it is not from a repository. */
  readonly source?: AgentSource;
  /** What its own models' answers have used; what it called says for itself. */
  readonly spent: Spent;
  /** Answers of its models, and calls that these asked for, as far as they were not refused. */
  readonly turns: number;
  readonly toolCalls: number;
  readonly agentCalls: number;
  /** Of what the agents of the run share while it goes on: the keys that it wrote last, in the order in which it did; absent: none. */
  readonly sharedKeys?: readonly string[];
  /** How much people let it use in all, where that is not what its definition says; absent: nowhere. */
  readonly limits?: readonly NewLimit[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt?: number;
};

type Ended = 'COMPLETED' | 'FAILED' | 'CANCELED';
type End = { readonly ended: Ended; readonly error?: string; readonly endedBy?: AgentStepEnder };
type Open = Omit<AgentStep, 'state' | 'waitsFor'> & { readonly ended?: Ended };

const enders: Readonly<Partial<Record<facts.CancelCause, AgentStepEnder>>> = {
  [facts.CancelCause.PERSON]: 'person',
  [facts.CancelCause.TIME]: 'time',
  [facts.CancelCause.LIMIT]: 'limit',
};

/**
 * The agents of a conversation's latest run, in the order in which they began. Add the events of the conversation in their order, from the
 * message of that run (`run.messageRevision`) to the revision of the state; others are left alone.
 */
export class AgentSteps {
  readonly #state: ConversationState;
  readonly #steps = new Map<string, Open>();
  readonly #inputs = new Map<string, string>();
  #message = '';
  /** The agent at whose limit the run is paused; empty: it is not. */
  #atLimit = '';
  readonly #given = new Map<string, readonly NewLimit[]>();

  /** `state`: of the conversation, as it stands. */
  constructor(state: ConversationState) {
    this.#state = state;
  }

  add({ fact, time, revision }: RecordedFact): void {
    const { run } = this.#state;
    if (run === null || revision < run.messageRevision || revision > this.#state.revision) return;
    // What an earlier run had begun may end during this one.
    if ('runId' in fact.value && fact.value.runId !== run.id) return;
    switch (fact.case) {
      case 'userMessageReceived':
        this.#message = fact.value.text;
        return;
      case 'runStarted':
        this.#begin(rootStep, { agent: this.#state.agentName, input: this.#message, time }, fact.value.agentSource);
        return;
      case 'modelResponded':
        this.#answered(fact.value);
        return;
      case 'agentCalled': {
        const { callId, agent, source } = fact.value;
        const input = this.#inputs.get(callId) ?? '';
        this.#begin(calledRoot(callId), { agent, input, time, parent: ownerOf(stepOfCall(callId)) }, source);
        return;
      }
      case 'agentReturned': {
        const { callId, isError, output } = fact.value;
        const error = isError ? outputText(outputFromWire(output), () => '') : '';
        this.#end(calledRoot(callId), { ended: isError ? 'FAILED' : 'COMPLETED', error }, time);
        return;
      }
      case 'stepCanceled':
        this.#cut(fact.value, time);
        return;
      case 'runPaused':
        this.#atLimit = fact.value.limitStepId;
        return;
      case 'runResumed':
        this.#lets(fact.value);
        return;
      case 'runCompleted':
        this.#endAll({ ended: 'COMPLETED' }, time);
        return;
      case 'runFailed':
        this.#endAll({ ended: 'FAILED', error: fact.value.text }, time);
        return;
      case 'runCanceled':
        this.#endAll({ ended: 'CANCELED', error: canceledText(fact.value.reason), endedBy: 'person' }, time);
        return;
      default:
    }
  }

  /** How they stand. */
  list(): readonly AgentStep[] {
    const { run } = this.#state;
    return [...this.#steps.values()].map(({ ended, ...step }) => {
      const shared = (run?.data ?? []).filter(({ callId }) => ownerOf(stepOfCall(callId)) === step.id);
      const told = { ...step, ...(shared.length > 0 && { sharedKeys: shared.map(({ key }) => key) }) };
      if (ended !== undefined || run === null) return { ...told, state: ended ?? 'WORKING' };
      const waitsFor = waitsOf(run, step.id);
      return { ...told, state: openState(run, step.id), ...(waitsFor.length > 0 && { waitsFor }) };
    });
  }

  /** New limits of an agent; without them it may use as much again of those that it was given before. */
  #lets({ limits }: FactOf<'runResumed'>): void {
    const step = this.#steps.get(this.#atLimit);
    this.#atLimit = '';
    if (step === undefined) return;
    const { id, limits: before = [] } = step;
    const given = newLimitsFromWire(limits);
    const kept = (all: readonly NewLimit[]) => all.filter(({ kind }) => !given.some((one) => one.kind === kind));
    const asGiven = this.#given.get(id) ?? [];
    const again = before.map(({ kind, most }) => {
      const { most: more } = asGiven.find((one) => one.kind === kind) ?? { most: 0 };
      return { kind, most: most + more };
    });
    this.#given.set(id, [...kept(asGiven), ...given]);
    const now = given.length === 0 ? again : [...kept(before), ...given];
    if (now.length > 0) this.#steps.set(id, { ...step, limits: now });
  }

  #begin(
    id: string,
    { time: startedAt, ...known }: Pick<AgentStep, 'agent' | 'input' | 'parent'> & { readonly time: number },
    source: facts.AgentSource | undefined,
  ): void {
    const from = source === undefined ? {} : { source: sourceFromWire(source) };
    const nothing = { spent: nothingSpent, turns: 0, toolCalls: 0, agentCalls: 0 };
    this.#steps.set(id, { id, ...known, ...from, ...nothing, startedAt });
  }

  #answered({ stepId, calls, usage }: FactOf<'modelResponded'>): void {
    const step = this.#steps.get(ownerOf(stepId));
    if (step === undefined) return;
    for (const { callId, argumentsJson } of calls) this.#inputs.set(callId, agentCallOf(argumentsJson)?.input ?? '');
    const made = calls.filter(({ disposition }) => disposition !== facts.Disposition.REFUSED);
    const agents = made.filter(({ platformAgent }) => platformAgent !== '').length;
    const own = made.filter(({ disposition }) => disposition === facts.Disposition.CONTROL).length;
    const completion = completedBy(made);
    this.#steps.set(step.id, {
      ...step,
      ...(completion && { completion }),
      spent: plus(step.spent, spentByAnswer(usage)),
      turns: step.turns + 1,
      toolCalls: step.toolCalls + made.length - agents - own,
      agentCalls: step.agentCalls + agents,
    });
  }

  /** A step that took too long, or too much, has failed by itself; whoever worked below it only had to stop. */
  #cut({ stepId, cause, text }: FactOf<'stepCanceled'>, time: number): void {
    const endedBy = enders[cause];
    const how = { ...(text !== '' && { error: text }), ...(endedBy && { endedBy }) };
    for (const id of this.#steps.keys()) {
      if (!isWithin(id, stepId)) continue;
      const isItself = id === stepId && endedBy !== 'person';
      this.#end(id, { ended: isItself ? 'FAILED' : 'CANCELED', ...how }, time);
    }
  }

  #end(id: string, { error, ...end }: End, endedAt: number): void {
    const step = this.#steps.get(id);
    if (step === undefined || step.ended !== undefined) return;
    this.#steps.set(id, { ...step, ...end, ...(error && { error }), endedAt });
  }

  /** What goes on below when the run ends has not come to its own end. */
  #endAll(end: End, time: number): void {
    for (const id of this.#steps.keys()) this.#end(id, id === rootStep ? end : { ...end, ended: 'CANCELED' }, time);
  }
}

/** What an answer says that came of the task, if it says that it is done. */
function completedBy(calls: readonly facts.Call[]): Completion | undefined {
  const said = calls.find(({ tool }) => controlTools.get(tool)?.completes === true);
  const completion = said === undefined ? '' : completionOf(said.argumentsJson);
  return typeof completion === 'string' ? undefined : completion;
}

/** The root of the tree that a step is in. */
function ownerOf(stepId: string): string {
  const caller = callAbove(stepId);
  return caller === undefined ? rootStep : calledRoot(caller);
}

function openState(run: RunState, id: string): AgentStepState {
  const asked = openInterrupts(run).filter(({ shownAs }) => shownAs !== undefined);
  if (asked.some(({ interrupt: { callId } }) => isWithin(stepOfCall(callId), id))) return 'BLOCKED_ON_INPUT';
  return calledBy(run, id).length > 0 ? 'BLOCKED_ON_DEPENDENCY' : 'WORKING';
}

/** The calls of agents that a step waits for. */
const calledBy = (run: RunState, id: string) =>
  Object.values(run.calls).filter(({ stepId, phase }) => phase === 'called' && ownerOf(stepId) === id);

/** What a step waits for by itself: what those that it called wait for, they say. */
function waitsOf(run: RunState, id: string): AgentStepWait[] {
  const asked = openInterrupts(run).flatMap(({ interrupt, shownAs }): AgentStepWait[] => {
    const isOwn = ownerOf(stepOfCall(interrupt.callId)) === id;
    return shownAs === undefined || !isOwn ? [] : [{ kind: shownAs, id: interrupt.id }];
  });
  return [...calledBy(run, id).map((call): AgentStepWait => ({ kind: 'agent', id: calledRoot(call.id) })), ...asked];
}
