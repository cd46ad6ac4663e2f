// Runs that wait for an account of their user go on once that is connected:
//
// 1. One connection lets one conversation go on once, whoever notices: the append carries a key that is made of both.
// 2. It is noticed when it is recorded, when a run comes to rest, and at the start and after each outage, for all that wait by then.
// 3. Only whose conversation it is counts: nobody's run goes on with the account of another.
import {
  anonymousPrincipal,
  type ConversationState,
  connectionStream,
  connectionStreamPrefix,
  decodeRecorded,
  evolveConnection,
  noConnection,
  provideAccount,
  serversWanting,
  sha256Hex,
} from '@stopgo/core';
import { type Clock, clientKey, type TransactPorts, transact } from '@stopgo/log';
import { type store, views } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

/** What is needed to have runs go on. */
export type WaitingRunsParts = {
  readonly ports: TransactPorts;
  readonly store: Pick<
    Client<typeof store.StoreService>,
    'subscribe' | 'listByChange' | 'listConversations' | 'readStream'
  >;
  readonly load: (conversationId: string) => Promise<{ readonly state: ConversationState }>;
  /** Has a run driven that has something to do. */
  readonly resume: (conversationId: string) => Promise<void>;
  /** Is told of what could not be done. */
  readonly onFault: (error: unknown, where: string) => void;
};

/** Conversations that are looked at in one page. */
const pageRows = 100;

/** The runs that wait for accounts. */
export class WaitingRuns {
  readonly #parts: WaitingRunsParts;

  constructor(parts: WaitingRunsParts) {
    this.#parts = parts;
  }

  /** Notices connections until the signal aborts. Never rejects. `pauseMs`: before it begins anew after an outage. */
  async follow(clock: Clock, pauseMs: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const { store: log } = this.#parts;
        const { position } = await log.listConversations({ limit: 1 }, { signal });
        const news = log.subscribe({ afterPosition: position, streamPrefix: connectionStreamPrefix }, { signal });
        // What was recorded before is found with those that wait; what comes from now on is in the news.
        await this.#lookAtAll(() => true, signal);
        for await (const { event } of news) {
          const fact = event && decodeRecorded(event).fact;
          if (fact?.case !== 'accountConnected') continue;
          const { user = '' } = fact.value.connection ?? {};
          await this.#lookAtAll((principal) => principal === user, signal);
        }
      } catch (error) {
        if (!signal.aborted) this.#parts.onFault(error, 'following connected accounts');
      }
      await clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  /** To be called when a run has come to rest: what it waits for may have been connected meanwhile. Never rejects. */
  async rested(state: ConversationState): Promise<void> {
    if (serversWanting(state).length === 0) return;
    await this.#look(state.id).catch((error: unknown) =>
      this.#parts.onFault(error, `looking at accounts for ${state.id}`),
    );
  }

  async #lookAtAll(isTheirs: (principal: string) => boolean, signal: AbortSignal): Promise<void> {
    for (let cursor = ''; ; ) {
      const asked = { standing: views.Standing.WAITING_FOR_TOKEN, limit: pageRows, cursor };
      const page = await this.#parts.store.listByChange(asked, { signal });
      for (const { head } of page.conversations)
        if (head !== undefined && isTheirs(head.principal || anonymousPrincipal)) await this.#look(head.id);
      cursor = page.nextCursor;
      if (cursor === '') return;
    }
  }

  async #look(conversationId: string): Promise<void> {
    const { state } = await this.#parts.load(conversationId);
    for (const server of serversWanting(state)) await this.#lookFor(state, server);
  }

  async #lookFor(state: ConversationState, server: string): Promise<void> {
    const { ports, resume } = this.#parts;
    const stream = connectionStream(state.principal ?? anonymousPrincipal, server);
    const connectedRevision = await this.#connected(stream);
    if (connectedRevision === undefined) return;
    const key = `account:${sha256Hex(JSON.stringify([stream, connectedRevision, state.id]))}`;
    const idempotency = { key, requestDigest: '' };
    const loaded = await ports.log.load(state.id, [clientKey(idempotency)]);
    const done = await transact(ports, loaded, {
      actor: { kind: 'system', id: ports.instance },
      idempotency,
      decide: (now) => ({ kind: 'facts', facts: provideAccount(now, server) }),
      factsOf: ({ facts }) => facts,
    });
    if (done.kind === 'done') await resume(state.id);
  }

  /** Revision of the event that connected the account; undefined if it is not connected now. */
  async #connected(stream: string): Promise<number | undefined> {
    const { readStream } = this.#parts.store;
    const { headRevision } = await readStream({ stream, fromRevision: 1, limit: 1 });
    if (headRevision === 0) return undefined;
    const { events } = await readStream({ stream, fromRevision: headRevision, limit: 1 });
    const { account } = events.map(decodeRecorded).reduce(evolveConnection, noConnection);
    return account?.connectedRevision;
  }
}
