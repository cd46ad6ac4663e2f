import type { NatsConnection } from '@nats-io/nats-core';
import { type DomainError, unavailable } from '@stopgo/core';
import { outageWaitMsMax } from '../../bounds.ts';

const retryAfterMs = 1_000;
/** While the server that says it is not there. */
const messageBytesMaxDefault = 1024 * 1024;

/** Nothing is known about what was asked: no answer came, or the connection was lost before it could. */
export const noAnswer = (cause?: unknown): DomainError =>
  unavailable('the event log (NATS) does not answer now; try again', {}, { retryAfterMs, cause });

/** What is known about the connection, so that nobody waits for an answer that cannot come. */
export class Link {
  readonly connection: NatsConnection;
  readonly #waiting = new Set<(up: boolean) => void>();
  readonly #back = new Set<() => void>();
  #up: boolean;
  #closed = false;

  constructor(connection: NatsConnection) {
    this.connection = connection;
    this.#up = !connection.isClosed();
    void this.#watch();
  }

  get isUp(): boolean {
    return this.#up;
  }

  /** The most bytes that a message may have, headers included. */
  get messageBytesMax(): number {
    return this.connection.info?.max_payload ?? messageBytesMaxDefault;
  }

  /** Calls a listener each time the connection is there again, until the link is closed. */
  onBack(listener: () => void): void {
    this.#back.add(listener);
  }

  /**
   * Asks for something, once the connection is there. Throws `unavailable` if it is not for longer than `outageWaitMsMax`,
   * or as soon as it is lost before the answer.
   */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    await this.up();
    return await new Promise<T>((resolve, reject) => {
      const changed = () => settle(() => reject(noAnswer()));
      const settle = (how: () => void) => {
        this.#waiting.delete(changed);
        how();
      };
      this.#waiting.add(changed);
      question().then(
        (answer) => settle(() => resolve(answer)),
        (error: unknown) => settle(() => reject(error)),
      );
    });
  }

  /** Resolves when the connection is there; throws `unavailable` if it is not for longer than `outageWaitMsMax`. */
  async up(): Promise<void> {
    if (this.#closed) throw noAnswer();
    if (this.#up) return;
    const up = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => changed(false), outageWaitMsMax);
      const changed = (now: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(changed);
        resolve(now);
      };
      this.#waiting.add(changed);
    });
    if (!up) throw noAnswer();
  }

  /** Ends every question. */
  close(): void {
    this.#closed = true;
    this.#changed(false);
    this.#back.clear();
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (this.#closed) return;
      if (type === 'disconnect' || type === 'close') this.#changed(false);
      if (type === 'reconnect') {
        this.#changed(true);
        for (const listener of this.#back) listener();
      }
    }
    this.#changed(false);
  }

  #changed(up: boolean): void {
    this.#up = up && !this.#closed;
    for (const changed of [...this.#waiting]) changed(this.#up);
  }
}
