import { type Actor, evolvePush, type Fact, noPush, pushStream } from '@stopgo/core';
import { type Clock, type ConversationLog, changeSmall } from '@stopgo/log';
import type { store, views } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

export type PushLogPorts = {
  readonly log: ConversationLog;
  readonly store: Pick<Client<typeof store.StoreService>, 'getPush'>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: () => number;
};

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
    signal?: AbortSignal,
  ): Promise<{ readonly push: views.Push; readonly isChanged: boolean }> {
    const { conversationId } = before;
    const stream = {
      name: pushStream(conversationId),
      load: (given: AbortSignal) => this.load(conversationId, given),
      evolve: evolvePush,
    };
    const { state, isChanged } = await changeSmall(this.#ports, stream, before, actor, decide, signal);
    return { push: state, isChanged };
  }
}
