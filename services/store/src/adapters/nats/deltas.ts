// Pieces of answers between the replicas of the store, over plain NATS: nothing of it is kept anywhere.
//
// 1. A piece reaches the watchers here directly, and those elsewhere by one message: never both.
// 2. A replica subscribes to a conversation only while it has watchers of it, and announces it after it has subscribed:
//    who hears of the interest can reach it.
import { headers, type Msg, type Subscription } from '@nats-io/transport-node';
import { isUuid } from '@stopgo/core';
import { fromBinary, store, toBinary } from '@stopgo/proto';
import type { DeltaChannel } from '../../delta-channel.ts';
import { Deltas } from '../../deltas.ts';
import { interestRenewedMs } from './bounds.ts';
import { decodeAnnouncement, encodeAnnouncements, RemoteInterest, type Watched } from './interest.ts';
import type { NatsLink } from './link.ts';

const deltaSubject = (conversationId: string) => `stopgo.deltas.${conversationId}`;
/** What is watched, as each replica says. */
const watchedSubject = 'stopgo.watched';
/** Asks every replica to say it. */
const askSubject = 'stopgo.watched.ask';
/** Tells a replica its own messages. */
const replicaHeader = 'Stopgo-Replica';

export type NatsDeltasOptions = {
  readonly link: NatsLink;
  /** Tells this replica of the store from the others. */
  readonly replica: string;
  /** A clock that only goes forward, in milliseconds. */
  readonly now: () => number;
};

/** The deltas of all replicas that share a NATS. */
export class NatsDeltas implements DeltaChannel {
  readonly #options: NatsDeltasOptions;
  readonly #here = new Deltas();
  readonly #elsewhere: RemoteInterest;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #always: readonly Subscription[];
  readonly #notBack: () => void;
  readonly #renewal: NodeJS.Timeout;

  constructor(options: NatsDeltasOptions) {
    this.#options = options;
    this.#elsewhere = new RemoteInterest(options.now);
    const { connection } = options.link;
    this.#always = [
      connection.subscribe(watchedSubject, { callback: (_, message) => this.#heard(message) }),
      connection.subscribe(askSubject, { callback: () => this.#announceAll() }),
    ];
    this.#notBack = options.link.onBack(() => this.#introduce());
    this.#renewal = setInterval(() => this.#renew(), interestRenewedMs);
    this.#introduce();
  }

  publish(delta: store.Delta | undefined): number {
    const here = this.#here.publish(delta);
    if (delta === undefined) return here;
    const elsewhere = this.#elsewhere.watchers(delta.conversationId);
    if (elsewhere > 0)
      this.#send(deltaSubject(delta.conversationId), toBinary(store.DeltaSchema, delta), this.#options.replica);
    return here + elsewhere;
  }

  watchers(conversationId: string): number {
    return this.#here.watchers(conversationId) + this.#elsewhere.watchers(conversationId);
  }

  async *watch(conversationId: string, signal: AbortSignal): AsyncGenerator<store.Delta, void> {
    const deltas = this.#here.watch(conversationId, signal);
    // Others can only ever publish for the id of a conversation, and nothing else may become a subject.
    if (!isUuid(conversationId)) return yield* deltas;
    const first = deltas.next();
    this.#changed(conversationId);
    try {
      for (let next = await first; next.done !== true; next = await deltas.next()) yield next.value;
    } finally {
      await deltas.return();
      this.#changed(conversationId);
    }
  }

  /** Ends every watch, and tells the others that nobody watches here any more. */
  close(): void {
    clearInterval(this.#renewal);
    this.#notBack();
    this.#announce([...this.#subscriptions.keys()].map((id) => [id, 0]));
    this.#here.close();
    for (const subscription of [...this.#always, ...this.#subscriptions.values()]) subscription.unsubscribe();
    this.#subscriptions.clear();
  }

  /** Subscribes to a conversation with its first watcher, leaves it with its last, and says so. */
  #changed(conversationId: string): void {
    const watchers = this.#here.watchers(conversationId);
    const subscription = this.#subscriptions.get(conversationId);
    if (watchers === 0) {
      subscription?.unsubscribe();
      this.#subscriptions.delete(conversationId);
    } else if (subscription === undefined && !this.#options.link.connection.isClosed()) {
      const callback = (_: Error | null, message: Msg) => this.#received(message);
      this.#subscriptions.set(
        conversationId,
        this.#options.link.connection.subscribe(deltaSubject(conversationId), { callback }),
      );
    }
    this.#announce([[conversationId, watchers]]);
  }

  #received(message: Msg): void {
    if (message.headers?.get(replicaHeader) === this.#options.replica) return;
    try {
      this.#here.publish(fromBinary(store.DeltaSchema, message.data));
    } catch {
      // None of ours: whoever sent it has no watcher here.
    }
  }

  #heard(message: Msg): void {
    const announced = decodeAnnouncement(message.string());
    if (announced !== undefined && announced.replica !== this.#options.replica) this.#elsewhere.note(announced);
  }

  /** After the connection is there: what is watched here, and the question what is watched elsewhere. */
  #introduce(): void {
    this.#announceAll();
    this.#send(askSubject, new Uint8Array());
  }

  #renew(): void {
    this.#elsewhere.sweep();
    this.#announceAll();
  }

  #announceAll(): void {
    this.#announce([...this.#subscriptions.keys()].map((id) => [id, this.#here.watchers(id)]));
  }

  #announce(watched: readonly Watched[]): void {
    for (const message of encodeAnnouncements(this.#options.replica, watched)) this.#send(watchedSubject, message);
  }

  /** Sends what may be lost: nothing while the connection is. */
  #send(subject: string, payload: Uint8Array | string, replica?: string): void {
    const { link } = this.#options;
    if (!link.connected() || link.connection.isClosed()) return;
    const named = headers();
    if (replica !== undefined) named.set(replicaHeader, replica);
    link.connection.publish(subject, payload, replica === undefined ? {} : { headers: named });
  }
}
