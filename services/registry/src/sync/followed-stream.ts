import type { Actor, Fact, RecordedFact, StreamName } from '@stopgo/core';
import { type Append, appendUntilKnown, type DefinitionPorts, recordedOf, untilAnswered } from '@stopgo/log';

/** Longest pause before the stream is followed again after it could not be, in milliseconds. */
const followPauseMs = 1_000;

/** What a stream is, and how its state follows from its events. */
export type Folded<State> = {
  readonly stream: StreamName;
  readonly initial: State;
  readonly evolve: (before: State, event: RecordedFact) => State;
  /** Told of each event. Must not throw. */
  readonly onChange?: () => void;
};

/** The state of a stream, kept up to date by what this process and others append. */
export class FollowedStream<State extends { readonly revision: number }> {
  readonly #ports: DefinitionPorts;
  readonly #folded: Folded<State>;
  #state: State;

  constructor(ports: DefinitionPorts, folded: Folded<State>) {
    this.#ports = ports;
    this.#folded = folded;
    this.#state = folded.initial;
  }

  /** As of the last event that is known here. */
  get state(): State {
    return this.#state;
  }

  /** Reads all that is on the record. @throws the signal's reason when it aborts. */
  async load(signal: AbortSignal): Promise<void> {
    const { clock, log, random } = this.#ports;
    await untilAnswered(
      async () => {
        for await (const event of log.read(this.#folded.stream, this.#state.revision + 1, signal)) this.#take(event);
      },
      clock,
      random,
      signal,
    );
  }

  /** Takes up what others append, until the signal aborts. Never throws. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#ports;
    while (!signal.aborted) {
      try {
        for await (const event of log.follow(this.#folded.stream, this.#state.revision + 1, signal)) this.#take(event);
      } catch {
        // The store is out of reach, or the signal has aborted.
      }
      if (!signal.aborted) await clock.sleep(followPauseMs, signal).catch(() => undefined);
    }
  }

  /** Appends to what was known at a state. False if the record has moved on; then it is known how. */
  async append(
    { revision }: Pick<State, 'revision'>,
    facts: readonly Fact[],
    signal: AbortSignal,
    actor: Actor = { kind: 'system', id: this.#ports.instance },
  ): Promise<boolean> {
    const { clock, log, newId, random } = this.#ports;
    const append: Append = {
      ...{ stream: this.#folded.stream, expectedRevision: revision, facts, actor, correlationId: '', causationId: '' },
      ...{ key: newId(), now: clock.now(), eventIds: facts.map(() => newId()) },
    };
    const outcome = await appendUntilKnown(log, append, clock, random, signal);
    if (outcome.kind !== 'conflict') {
      for (const event of recordedOf(append)) this.#take(event);
      return true;
    }
    for (const event of outcome.unseen) this.#take(event);
    if (this.#state.revision < outcome.currentRevision) await this.load(signal);
    return false;
  }

  /** What is appended here comes back from the log as well. */
  #take(event: RecordedFact): void {
    if (event.revision !== this.#state.revision + 1) return;
    this.#state = this.#folded.evolve(this.#state, event);
    this.#folded.onChange?.();
  }
}
