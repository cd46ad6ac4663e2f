import {
  type Actor,
  type Connection,
  connectionStream,
  decodeRecorded,
  evolveConnection,
  type Fact,
  noConnection,
  type RecordedFact,
} from '@stopgo/core';
import { type Clock, changeSmall, storeLog } from '@stopgo/log';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

/** What the record is read and written with. */
export type RecordPorts = {
  readonly store: Client<typeof store.StoreService>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: () => number;
};

/** The stream of a user's account at a server. However often its tokens were refreshed, two events of it are read at most. */
export class AccountRecord {
  readonly #ports: RecordPorts;
  readonly #stream: ReturnType<typeof connectionStream>;
  #known: Connection = noConnection;

  constructor(user: string, server: string, ports: RecordPorts) {
    this.#ports = ports;
    this.#stream = connectionStream(user, server);
  }

  /** As it is now: never less than was acknowledged before the call. */
  async load(signal?: AbortSignal): Promise<Connection> {
    const from = this.#known.revision + 1;
    const { events, headRevision } = await this.#read(from, signal);
    const [next] = events.map(decodeRecorded);
    if (next === undefined) return this.#known;
    // Each event says all: what lies between is history.
    const last =
      next.revision === headRevision ? next : (await this.#read(headRevision, signal)).events.map(decodeRecorded)[0];
    return this.#learn(last ?? next);
  }

  /**
   * Appends what `decide` says of the account as it is then; nothing if it says nothing. Gives the account after it, and whether anything
   * was appended.
   *
   * @throws DomainError `unavailable` if it is not known what became of it; what `decide` throws.
   */
  async change(
    actor: Actor,
    decide: (now: Connection) => readonly Fact[],
  ): Promise<{ readonly state: Connection; readonly isChanged: boolean }> {
    const { store: client, clock, newId, random } = this.#ports;
    const before = await this.load();
    const done = await changeSmall(
      { log: storeLog(client), clock, newId, random },
      { name: this.#stream, load: (signal) => this.load(signal), evolve: evolveConnection },
      before,
      actor,
      decide,
    );
    if (done.state.revision > this.#known.revision) this.#known = done.state;
    return done;
  }

  #read(fromRevision: number, signal: AbortSignal | undefined) {
    const request = { stream: this.#stream, fromRevision, limit: 1 };
    return this.#ports.store.readStream(request, signal === undefined ? {} : { signal });
  }

  #learn(event: RecordedFact): Connection {
    if (event.revision > this.#known.revision) this.#known = evolveConnection(this.#known, event);
    return this.#known;
  }
}
