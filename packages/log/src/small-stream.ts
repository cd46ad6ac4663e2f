import { type Actor, type Fact, type RecordedFact, type StreamName, unavailable } from '@stopgo/core';
import type { Clock } from './clock.ts';
import { appendUntilKnown, recordedOf } from './commit.ts';
import type { Append, ConversationLog } from './conversation-log.ts';
import { commandDeadlineMs } from './transact.ts';

/** Longest pause before what conflicted is decided again, in milliseconds. */
const pauseMs = 50;

export type SmallStreamPorts = {
  readonly log: ConversationLog;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: () => number;
};

/** A stream whose whole state is small, and is read from the views in one piece. `S`: that state. */
export type SmallStream<S extends { readonly revision: number }> = {
  readonly name: StreamName;
  /** Never less than was acknowledged before the call. */
  readonly load: (signal: AbortSignal) => Promise<S>;
  readonly evolve: (state: S, event: RecordedFact) => S;
};

/**
 * Decides and appends, deciding anew after each conflict, for at most `commandDeadlineMs` without a signal. Gives the state after
 * it, and whether anything was appended by this call.
 *
 * @throws DomainError as `decide` does; `unavailable` if it is not known what became of it.
 */
export async function changeSmall<S extends { readonly revision: number }>(
  { log, clock, newId, random }: SmallStreamPorts,
  stream: SmallStream<S>,
  before: S,
  actor: Actor,
  decide: (state: S) => readonly Fact[],
  signal: AbortSignal = AbortSignal.timeout(commandDeadlineMs),
): Promise<{ readonly state: S; readonly isChanged: boolean }> {
  let state = before;
  try {
    for (;;) {
      const facts = decide(state);
      if (facts.length === 0) return { state, isChanged: false };
      const append: Append = {
        stream: stream.name,
        expectedRevision: state.revision,
        facts,
        actor,
        correlationId: '',
        causationId: '',
        key: newId(),
        now: clock.now(),
        eventIds: facts.map(() => newId()),
      };
      const outcome = await appendUntilKnown(log, append, clock, random, signal);
      if (outcome.kind !== 'conflict')
        return { state: recordedOf(append).reduce(stream.evolve, state), isChanged: true };
      const { unseen } = outcome;
      state = unseen.length > 0 ? unseen.reduce(stream.evolve, state) : await stream.load(signal);
      await clock.sleep(random() * pauseMs, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw unavailable('the event log does not answer; try again');
  }
}
