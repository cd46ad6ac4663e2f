// The one connection of a store to NATS.
//
// 1. It reconnects for ever; nothing here ends the process.
// 2. While it is lost, everything that needs it fails at once; what is under way when it is lost fails at that moment.
// 3. It counts as back only when the server that answers has passed the checks: what an unsafe server would acknowledge
//    is not acknowledged.

import { type ConnectionOptions, connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { DomainError, failedPrecondition, unavailable } from '@stopgo/core';
import { type Logger, messageOf } from '@stopgo/runtime';
import { outageWaitMsMax } from '../../bounds.ts';
import type { NatsAddress } from './address.ts';
import {
  closeMsMax,
  dialMsMax,
  forbiddenLoggedMax,
  pingMs,
  pingsUnansweredMax,
  redialJitterMs,
  redialMs,
  retryAfterMs,
} from './bounds.ts';
import { pause, untilThere } from './waiting.ts';

/** A connection that comes back by itself, and what is to be known of it. */
export type NatsLink = {
  /** The same one always; a request made through `ask` does not outlive a loss of it. */
  readonly connection: NatsConnection;
  /** Where it goes, without credentials. */
  readonly address: string;
  /** False from the moment when the connection is known to be lost until it is back and checked. */
  connected(): boolean;
  /**
   * What the request gives, once it is connected. Throws `unavailable`, with a time to try again after, if it is not for
   * longer than `outageWaitMsMax`, and as soon as the connection is lost meanwhile: whether the server took the request is
   * then not known.
   */
  ask<T>(request: () => Promise<T>): Promise<T>;
  /** Is called each time when it is back; gives a function that ends that. */
  onBack(listener: () => void): () => void;
  /** Sends what waits, for a moment at most, and ends. Calling it again changes nothing. */
  close(): Promise<void>;
};

export type LinkOptions = {
  readonly address: NatsAddress;
  readonly log: Logger;
  /** Ends the wait for the first connection. */
  readonly signal: AbortSignal;
  /** Name of this process, for the server's list of connections. */
  readonly name: string;
};

/** A link, and its checks, which follow once what is checked is known. */
export type OpenedLink = NatsLink & {
  /** From now on each reconnection counts only after this; what it throws is logged and tried again. */
  checkEachTime(check: () => Promise<void>): void;
};

/**
 * Connects, however long that takes.
 *
 * @throws DomainError `failed_precondition` if the server refuses the credentials, `canceled` when the signal aborts.
 */
export async function openLink(options: LinkOptions): Promise<OpenedLink> {
  const { address, log, signal } = options;
  const connection = await untilThere(() => dial(options), {
    what: `NATS at ${address.shown}`,
    log,
    signal,
    passes: (error) => !(error instanceof DomainError),
  });
  return new Link(connection, address.shown, log);
}

async function dial({ address, name }: LinkOptions): Promise<NatsConnection> {
  const { credentials } = address;
  const settings: ConnectionOptions = {
    servers: [...address.servers],
    name,
    timeout: dialMsMax,
    pingInterval: pingMs,
    maxPingOut: pingsUnansweredMax,
    maxReconnectAttempts: -1,
    // A stack for each request would cost more than the rest of it.
    noAsyncTraces: true,
    // A password that is wrong now may be right again when the server has been mended.
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: () => redialMs + Math.random() * redialJitterMs,
    ...(address.tls ? { tls: {} } : {}),
    ...(credentials.kind === 'user' ? { user: credentials.user, pass: credentials.password } : {}),
    ...(credentials.kind === 'token' ? { token: credentials.token } : {}),
  };
  try {
    return await connect(settings);
  } catch (error) {
    if (!(error instanceof errors.AuthorizationError)) throw error;
    const who = credentials.kind === 'none' ? 'a connection without credentials' : 'the credentials of NATS_URL';
    throw failedPrecondition(
      `NATS at ${address.shown} refuses ${who}; give NATS_URL the user and password that the server knows`,
      {},
      { cause: error },
    );
  }
}

const refused = 'it refuses the credentials of NATS_URL';

class Link implements OpenedLink {
  readonly connection: NatsConnection;
  readonly address: string;
  readonly #log: Logger;
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  /** Requests under way, each with what ends it. */
  readonly #asking = new Set<() => void>();
  /** Those who wait for the connection, each with what ends that. */
  readonly #waiting = new Set<() => void>();
  #check: () => Promise<void> = async () => undefined;
  /** Why it is not connected; undefined while it is. */
  #down: string | undefined;
  /** Counts the losses, so that a check knows whether its connection is still the one there is. */
  #losses = 0;
  /** The losses after which the connection there is now came back. */
  #checking = 0;
  /** What the server forbade and the log was told of. */
  readonly #forbidden = new Set<string>();

  constructor(connection: NatsConnection, address: string, log: Logger) {
    this.connection = connection;
    this.address = address;
    this.#log = log;
    void this.#watch();
  }

  connected(): boolean {
    return this.#down === undefined;
  }

  async ask<T>(request: () => Promise<T>): Promise<T> {
    if (!this.connected()) await this.#comeBack();
    if (!this.connected()) throw this.#unavailable();
    return new Promise<T>((resolve, reject) => {
      const lost = () => reject(this.#unavailable());
      this.#asking.add(lost);
      // What is thrown before there is a promise ends it like any other failure.
      const answer = (async () => request())();
      answer.then(resolve, reject).finally(() => this.#asking.delete(lost));
    });
  }

  /** Waits for the connection, as long as a caller should. */
  #comeBack(): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, outageWaitMsMax);
      this.#waiting.add(settle);
      if (this.#closing.signal.aborted) settle();
    });
  }

  onBack(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  checkEachTime(check: () => Promise<void>): void {
    this.#check = check;
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    const { connection } = this;
    if (this.connected()) await Promise.race([connection.flush().catch(() => undefined), delay(closeMsMax)]);
    this.#lose('the store is stopping');
    for (const settle of [...this.#waiting]) settle();
    this.#listeners.clear();
    await connection.close();
  }

  async #watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (this.#closing.signal.aborted) return;
      if (status.type === 'disconnect') this.#disconnected();
      // Said as often as it was tried to connect.
      if (status.type === 'reconnect' && this.#checking !== this.#losses) {
        this.#checking = this.#losses;
        void this.#reconnected(this.#losses);
      }
      if (status.type === 'error') this.#failed(status.error);
    }
  }

  #disconnected(): void {
    this.#losses++;
    if (this.connected())
      this.#log.warn(`NATS at ${this.address}: the connection is lost; what needs it is refused until it is back`);
    // Said again and again while nobody is there; a server that refuses us is the better reason.
    if (this.#down !== refused) this.#lose('the connection is lost');
  }

  #failed(error: Error): void {
    if (error instanceof errors.AuthorizationError) this.#refused();
    if (!(error instanceof errors.PermissionViolationError)) return;
    const { operation, subject } = error;
    const forbidden = `${operation} ${subject}`;
    if (this.#forbidden.has(forbidden) || this.#forbidden.size >= forbiddenLoggedMax) return;
    this.#forbidden.add(forbidden);
    this.#log.error(`NATS at ${this.address} forbids this user what the store needs; grant it`, { operation, subject });
  }

  #refused(): void {
    if (this.#down !== refused)
      this.#log.error(`NATS at ${this.address}: ${refused}; mend the server's, or restart the store`);
    this.#lose(refused);
  }

  #lose(why: string): void {
    this.#down = why;
    for (const lost of [...this.#asking]) lost();
  }

  /** Counts as back when the checks pass; meanwhile they are repeated, as long as this connection lasts. */
  async #reconnected(losses: number): Promise<void> {
    const { signal } = this.#closing;
    const over = () => signal.aborted || this.#losses !== losses;
    for (let told = ''; ; ) {
      try {
        await this.#check();
        break;
      } catch (error) {
        if (over()) return;
        const why = messageOf(error);
        this.#down = why;
        // Once for each reason: it stays until somebody does something about it.
        const stays = error instanceof DomainError && error.kind === 'failed_precondition';
        if (stays && told !== why) this.#log.error(`NATS is back and not used: ${why}`);
        told = why;
      }
      await pause(redialMs, signal);
      if (over()) return;
    }
    if (over()) return;
    this.#down = undefined;
    for (const settle of [...this.#waiting]) settle();
    this.#log.info(`NATS at ${this.address}: the connection is back`);
    for (const listener of [...this.#listeners]) listener();
  }

  #unavailable(): DomainError {
    const cause = new Error(`NATS at ${this.address} cannot be used now: ${this.#down}`);
    return unavailable('the event log (NATS) cannot be used now; try again', {}, { retryAfterMs, cause });
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
