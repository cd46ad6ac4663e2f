import { type Actor, evolvePush, type Fact, noPush, pushStream, unavailable } from '@stopgo/core';
import {
  type Append,
  appendUntilKnown,
  type Clock,
  type ConversationLog,
  commandDeadlineMs,
  recordedOf,
} from '@stopgo/log';
import type { store, views } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

export type PushLogPorts = {
  readonly log: ConversationLog;
  readonly store: Pick<Client<typeof store.StoreService>, 'getPush'>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: () => number;
};

/** Longest pause before what conflicted is decided again, in milliseconds. */
const pauseMs = 50;

/** The push streams. */
export class PushLog {
  readonly #ports: PushLogPorts;

  constructor(ports: PushLogPorts) {
    this.#ports = ports;
  }

  /** Who is told of a conversation; never less than was acknowledged before the call. */
  async load(conversationId: string, signal?: AbortSignal): Promise<views.Push> {
    const { push } = await this.#ports.store.getPush({ conversationId }, signal === undefined ? {} : { signal });
    return push ?? noPush(conversationId);
  }

  /**
   * Decides and appends, deciding anew after each conflict, for at most `commandDeadlineMs` without a signal. Gives the state
   * after it, and whether anything was appended by this call.
   *
   * @throws DomainError as `decide` does; `unavailable` if it is not known what became of it.
   */
  async change(
    before: views.Push,
    actor: Actor,
    decide: (push: views.Push) => readonly Fact[],
    signal: AbortSignal = AbortSignal.timeout(commandDeadlineMs),
  ): Promise<{ readonly push: views.Push; readonly isChanged: boolean }> {
    const { log, clock, newId, random } = this.#ports;
    let push = before;
    try {
      for (;;) {
        const facts = decide(push);
        if (facts.length === 0) return { push, isChanged: false };
        const append: Append = {
          stream: pushStream(push.conversationId),
          expectedRevision: push.revision,
          facts,
          actor,
          correlationId: '',
          causationId: '',
          key: newId(),
          now: clock.now(),
          eventIds: facts.map(() => newId()),
        };
        const outcome = await appendUntilKnown(log, append, clock, random, signal);
        if (outcome.kind !== 'conflict') return { push: recordedOf(append).reduce(evolvePush, push), isChanged: true };
        push =
          outcome.unseen.length > 0
            ? outcome.unseen.reduce(evolvePush, push)
            : await this.load(push.conversationId, signal);
        await clock.sleep(random() * pauseMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      throw unavailable('the event log does not answer; try again');
    }
  }
}
