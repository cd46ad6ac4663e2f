/**
 * The tool bridges that are alive, and the way to each.
 *
 * 1. Where a bridge is, its heartbeat says. New attempts go to an instance that is alive by its heartbeat, that has itself
 *    said that it is that instance since this process last had a doubt, and whose connection is not known to be broken.
 * 2. What is asked about an attempt goes to the process that the attempt was recorded for, and to no other.
 */
import { DomainError } from '@stopgo/core';
import { bridgeRole, type Clock, type Liveness, processOf } from '@stopgo/log';
import type { mcp as wire } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

export type BridgeClient = Client<typeof wire.McpBridgeService>;

export { bridgeRole };

/** A way to one bridge. */
export type BridgeConnection = {
  readonly client: BridgeClient;
  /** False while a call would certainly not arrive. Without it that is never known beforehand. */
  readonly isConnected?: () => boolean;
  readonly close: () => void;
};

/** Opens the way to the bridge at an address, without waiting. Undefined if nobody can be called there. */
export type ConnectBridge = (address: string) => BridgeConnection | undefined;

export type DirectoryPorts = {
  readonly connect: ConnectBridge;
  readonly liveness: Pick<Liveness, 'alive' | 'isDead'>;
  readonly clock: Clock;
};

type Place = {
  readonly connection: BridgeConnection;
  /** The instance that answered there last; empty if none has, or it is in doubt. */
  instance: string;
  isAsked: boolean;
  calls: number;
};

type ListTools = (client: BridgeClient) => Promise<{ readonly instance: string }>;

/** Addresses of instances that are remembered. */
const addressesMax = 1_000;
/** First and longest pause between two looks for a bridge while there is none, in milliseconds. */
const lookPauseMs = 100;
const lookPauseMostMs = 2_000;

const noAddress = 'no_address';

/** True if a bridge was not asked because nobody knows where it is. */
export function hasNoAddress(error: unknown): boolean {
  return error instanceof DomainError && error.details.reason === noAddress;
}

export class BridgeDirectory {
  readonly #ports: DirectoryPorts;
  readonly #list: ListTools;
  readonly #places = new Map<string, Place>();
  readonly #addresses = new Map<string, string>();
  readonly #waiting = new Set<() => void>();
  #turn = 0;

  /** `list` asks a bridge for its tools, and gives the instance that answered. */
  constructor(ports: DirectoryPorts, list: ListTools) {
    this.#ports = ports;
    this.#list = list;
  }

  /** A bridge for a new attempt, each in its turn; undefined if none is known that would take it. Never waits. */
  choose(): string | undefined {
    const usable = this.#ports.liveness
      .alive(bridgeRole)
      .filter(({ instance, address }) => {
        const place = this.#places.get(address);
        return place?.instance === instance && place.connection.isConnected?.() !== false;
      })
      .map(({ instance }) => instance);
    this.#turn += 1;
    return usable[this.#turn % usable.length];
  }

  /** Resolves with a bridge for a new attempt as soon as there is one. Rejects when the signal aborts. */
  async available(signal: AbortSignal): Promise<string> {
    for (let pauseMs = lookPauseMs; ; pauseMs = Math.min(2 * pauseMs, lookPauseMostMs)) {
      const instance = this.choose();
      if (instance !== undefined) return instance;
      signal.throwIfAborted();
      this.#askUnknown();
      await this.#changedOrLater(pauseMs, signal);
    }
  }

  /** Asks every bridge that is alive again. Resolves when one has answered; rejects with `unavailable` if none does. */
  async refresh(): Promise<void> {
    const asked = this.#alive().map(([address, place]) => this.#ask(address, place));
    await Promise.any(asked).catch((cause: unknown) => {
      throw new DomainError('unavailable', 'no tool bridge answers; calls of tools wait for one', { cause });
    });
  }

  /** Takes note of who is alive now: asks those it does not know yet, and lets go of those that are gone. */
  look(): void {
    const alive = this.#askUnknown();
    for (const [address, place] of this.#places) {
      if (alive.has(address) || place.calls > 0) continue;
      this.#places.delete(address);
      place.connection.close();
    }
    this.#changed();
  }

  /** The instance may not be there any more: it gets no new attempt before it has said that it is. */
  doubt(instance: string): void {
    const address = this.#addressOf(instance);
    const place = address === undefined ? undefined : this.#places.get(address);
    if (address === undefined || place === undefined) return;
    place.instance = '';
    if (!place.isAsked) void this.#ask(address, place).catch(() => undefined);
  }

  /** Asks the process that has, or had, that id. Rejects with `unavailable` if nobody knows where it is. */
  async with<T>(instance: string, ask: (client: BridgeClient) => Promise<T>): Promise<T> {
    const address = this.#addressOf(instance);
    const place = address === undefined ? undefined : this.#place(address);
    if (place === undefined)
      throw new DomainError('unavailable', `the tool bridge ${instance} is not in the list of those that are alive`, {
        details: { reason: noAddress },
      });
    place.calls += 1;
    try {
      return await ask(place.connection.client);
    } finally {
      place.calls -= 1;
    }
  }

  /** Gives every connection up. */
  close(): void {
    for (const { connection } of this.#places.values()) connection.close();
    this.#places.clear();
  }

  #askUnknown(): ReadonlyMap<string, Place> {
    const alive = new Map(this.#alive());
    for (const [address, place] of alive)
      if (place.instance === '' && !place.isAsked) void this.#ask(address, place).catch(() => undefined);
    return alive;
  }

  #alive(): [address: string, place: Place][] {
    return this.#ports.liveness.alive(bridgeRole).flatMap(({ instance, address }) => {
      const place = this.#place(address);
      if (place === undefined) return [];
      this.#addresses.delete(instance);
      this.#addresses.set(instance, address);
      const oldest = this.#addresses.keys().next().value;
      if (this.#addresses.size > addressesMax && oldest !== undefined) this.#addresses.delete(oldest);
      return [[address, place]];
    });
  }

  #place(address: string): Place | undefined {
    const known = this.#places.get(address);
    if (known !== undefined) return known;
    const connection = this.#ports.connect(address);
    if (connection === undefined) return undefined;
    const place = { connection, instance: '', isAsked: false, calls: 0 };
    this.#places.set(address, place);
    return place;
  }

  /** Where the process with that id is: under this id, or under another one that it has taken since. */
  #addressOf(instance: string): string | undefined {
    const known = this.#addresses.get(instance);
    if (known !== undefined) return known;
    const process = processOf(instance);
    return this.#ports.liveness.alive(bridgeRole).find((peer) => processOf(peer.instance) === process)?.address;
  }

  async #ask(address: string, place: Place): Promise<void> {
    place.isAsked = true;
    place.calls += 1;
    try {
      const { instance } = await this.#list(place.connection.client);
      if (this.#places.get(address) === place) place.instance = instance;
      this.#changed();
    } catch (error) {
      place.instance = '';
      throw error;
    } finally {
      place.calls -= 1;
      place.isAsked = false;
    }
  }

  #changed(): void {
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of all) wake();
  }

  async #changedOrLater(ms: number, signal: AbortSignal): Promise<void> {
    const enough = new AbortController();
    const changed = new Promise<void>((wake) => {
      this.#waiting.add(wake);
      enough.signal.addEventListener('abort', () => this.#waiting.delete(wake), { once: true });
    });
    const later = this.#ports.clock.sleep(ms, AbortSignal.any([signal, enough.signal]));
    try {
      await Promise.race([changed, later]);
    } finally {
      later.catch(() => undefined);
      enough.abort();
    }
  }
}
