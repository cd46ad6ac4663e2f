import {
  type Actor,
  type ConversationState,
  type Effect,
  evolve,
  type Fact,
  type FactName,
  initialState,
  type RecordedFact,
} from '@stopgo/core';
import { expect } from 'vitest';

/**
 * Given, when, then for deciders: given what happened, when somebody wants something, then these facts follow, or a
 * refusal. What happened is facts, or a function that makes them of the state so far.
 */
export type Happening = Fact | ((state: ConversationState) => readonly Fact[]) | ByActor;
type ByActor = { readonly by: Actor; readonly happening: Fact | ((state: ConversationState) => readonly Fact[]) };

/** The time of the first event, in milliseconds since 1970; each later one is a second later. */
export const dawn = Date.UTC(2026, 0, 1);

/** Something that a person does, named. */
export function by(id: string, happening: ByActor['happening']): ByActor {
  return { by: { kind: 'approver', id, claimed: true, surface: 'rest' }, happening };
}

/** The recorded form of facts that follow a state, for tests. */
export function recorded(all: readonly Fact[], from: number, actor: Actor = { kind: 'system', id: '' }) {
  return all.map((one, index): RecordedFact => {
    const revision = from + index + 1;
    return {
      stream: 'conversation-test',
      revision,
      eventId: `event-${revision}`,
      time: dawn + revision * 1_000,
      actor,
      causationId: '',
      correlationId: 'session',
      fact: one,
    };
  });
}

/** A field of a fact that is expected; what is not named is not looked at. */
type Expected = FactName | readonly [FactName, Readonly<Record<string, unknown>>];

/** What happened so far. */
export function given(...happenings: readonly Happening[]): Given {
  let state = initialState;
  const log: RecordedFact[] = [];
  for (const one of happenings) {
    const { actor, happening } = 'by' in one ? { actor: one.by, happening: one.happening } : { happening: one };
    const facts = typeof happening === 'function' ? happening(state) : [happening];
    for (const event of recorded(facts, state.revision, actor)) {
      log.push(event);
      state = evolve(state, event);
    }
  }
  return new Given(state, log);
}

class Given {
  readonly state: ConversationState;
  readonly log: readonly RecordedFact[];

  constructor(state: ConversationState, log: readonly RecordedFact[]) {
    this.state = state;
    this.log = log;
  }

  /** Somebody wants something. */
  when<D>(decide: (state: ConversationState) => D): When<D> {
    return new When(decide(this.state), this.state);
  }
}

class When<D> {
  readonly decision: D;
  private readonly before: ConversationState;

  constructor(decision: D, before: ConversationState) {
    this.decision = decision;
    this.before = before;
  }

  /** Exactly these facts follow, in this order. */
  thenFacts(...expected: readonly Expected[]): this {
    const facts = factsOf(this.decision);
    expect(facts.map((one) => one.case)).toEqual(expected.map((one) => (typeof one === 'string' ? one : one[0])));
    for (const [index, one] of expected.entries())
      if (typeof one !== 'string') expect(facts[index]?.value, `fact ${index}: ${one[0]}`).toMatchObject(one[1]);
    return this;
  }

  /** Nothing changes. */
  thenNothing(): this {
    return this.thenFacts();
  }

  /** These effects are owed then. */
  thenOwes(...expected: readonly Partial<Effect>[]): this {
    const decision = this.decision as { readonly effects: readonly Effect[] };
    expect(decision.effects).toHaveLength(expected.length);
    expect(decision.effects).toMatchObject(expected);
    return this;
  }

  /** It is refused, for this reason. */
  thenRefused(expected: Readonly<Record<string, unknown>>): this {
    expect(this.decision).toMatchObject(expected);
    expect(factsOf(this.decision)).toEqual([]);
    return this;
  }

  /** The state that follows. */
  get state(): ConversationState {
    return recorded(factsOf(this.decision), this.before.revision).reduce(evolve, this.before);
  }
}

function factsOf(decision: unknown): readonly Fact[] {
  if (Array.isArray(decision)) return decision as Fact[];
  const { facts } = decision as { readonly facts?: readonly Fact[] };
  return facts ?? [];
}
