/**
 * The agents that worked on a run, each with what it was given, what it came to and what it used: read from the run's events, whether they are
 * done or not. The state forgets who is done.
 */
import { facts } from '@stopgo/proto';
import type { AgentSource } from '../agent/calling.ts';
import { callAbove, calledRoot, rootStep, stepOfCall } from '../agent/step-id.ts';
import { agentCallOf } from '../calls/agent.ts';
import { controlTools } from '../calls/control/tools.ts';
import type { FactOf, RecordedFact } from '../events/facts.ts';
import { isWithin } from '../interrupts/below-step.ts';
import { openInterrupts } from '../interrupts/kinds.ts';
import { type Completion, completionOf } from '../state/completion.ts';
import { sourceFromWire } from '../state/source.ts';
import type { ConversationState, RunState } from '../state/state.ts';
import { nothingSpent, plus, type Spent, spentByAnswer } from '../state/usage.ts';

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

/** One agent's work on the run's message, or on a call of another agent. */
export type AgentStep = {
  /** Of the root of its tree. */
  readonly id: string;
  readonly agent: string;
  /** The agent's work that called it; absent: it is the run's own agent. */
  readonly parent?: string;
  readonly state: AgentStepState;
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
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt?: number;
};

type Open = Omit<AgentStep, 'state'> & { readonly ended?: 'COMPLETED' | 'FAILED' | 'CANCELED' };

/** The agents of a conversation's latest run, in the order in which they began. Add all events of the conversation, in their order. */
export class AgentSteps {
  readonly #steps = new Map<string, Open>();
  readonly #inputs = new Map<string, string>();
  #agentName = '';
  #message = '';

  add({ fact, time }: RecordedFact): void {
    switch (fact.case) {
      case 'conversationCreated':
        this.#agentName = fact.value.agentName;
        return;
      case 'userMessageReceived':
        this.#message = fact.value.text;
        return;
      case 'runStarted':
        this.#steps.clear();
        this.#inputs.clear();
        this.#begin(rootStep, { agent: this.#agentName, input: this.#message, time }, fact.value.agentSource);
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
      case 'agentReturned':
        this.#end(calledRoot(fact.value.callId), fact.value.isError ? 'FAILED' : 'COMPLETED', time);
        return;
      case 'stepCanceled': {
        const { stepId } = fact.value;
        for (const id of this.#steps.keys()) if (isWithin(id, stepId)) this.#end(id, 'CANCELED', time);
        return;
      }
      case 'runCompleted':
        this.#endAll('COMPLETED', time);
        return;
      case 'runFailed':
        this.#endAll('FAILED', time);
        return;
      case 'runCanceled':
        this.#endAll('CANCELED', time);
        return;
      default:
    }
  }

  /** How they stand; `state`: folded from the same events. */
  of({ run }: ConversationState): readonly AgentStep[] {
    return [...this.#steps.values()].map(({ ended, ...step }) => ({
      ...step,
      state: ended ?? openState(run, step.id),
    }));
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

  #end(id: string, ended: NonNullable<Open['ended']>, endedAt: number): void {
    const step = this.#steps.get(id);
    if (step !== undefined && step.ended === undefined) this.#steps.set(id, { ...step, ended, endedAt });
  }

  /** What goes on below when the run ends has not come to its own end. */
  #endAll(ended: NonNullable<Open['ended']>, time: number): void {
    for (const id of this.#steps.keys()) this.#end(id, id === rootStep ? ended : 'CANCELED', time);
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

function openState(run: RunState | null, id: string): AgentStepState {
  if (run === null) return 'WORKING';
  const asked = openInterrupts(run).filter(({ shownAs }) => shownAs !== undefined);
  if (asked.some(({ interrupt: { callId } }) => isWithin(stepOfCall(callId), id))) return 'BLOCKED_ON_INPUT';
  const mine = Object.values(run.calls).filter(({ stepId }) => ownerOf(stepId) === id);
  return mine.some(({ phase }) => phase === 'called') ? 'BLOCKED_ON_DEPENDENCY' : 'WORKING';
}
