import { JetStreamApiError } from '@nats-io/jetstream';
import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';

/** A server that nobody there takes a request of answers it so. */
const noResponders = 503;

const utf8 = new TextDecoder();

/** What is sent with a request, and how long its answer is waited for, in milliseconds. */
export type RequestOptions = {
  readonly data?: Uint8Array;
  readonly headers?: MsgHdrs;
  readonly waitMs: number;
};

type Refusal = { readonly error?: { readonly code: number; readonly err_code: number; readonly description: string } };

/**
 * Asks JetStream. The client's own requests do the same, but make an error with its stack for each, also for one that is
 * answered: 6 % of a store's CPU.
 */
export class Requests {
  readonly #connection: NatsConnection;
  readonly #inbox = createInbox();
  readonly #waiting = new Map<string, (answer: Msg | Error) => void>();
  #listens = false;
  #last = 0;

  /** Asks nothing of the server before the first request. */
  constructor(connection: NatsConnection) {
    this.#connection = connection;
    void connection.closed().then(() => this.#end(new Error('the connection is closed')));
  }

  /**
   * The answer, as the JSON that it is. Rejects with a `JetStreamApiError` if that is a refusal, with any other error if nothing
   * is known, at the latest after `waitMs`.
   */
  async ask(subject: string, options: RequestOptions): Promise<unknown> {
    const { data } = await this.#answer(subject, options);
    const answer = JSON.parse(utf8.decode(data)) as Refusal;
    if (answer.error !== undefined) throw new JetStreamApiError(answer.error);
    return answer;
  }

  #answer(subject: string, { data, headers, waitMs }: RequestOptions): Promise<Msg> {
    this.#listen();
    const reply = `${this.#inbox}.${++this.#last}`;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => settle(new Error(`no answer within ${waitMs} ms`)), waitMs);
      const settle = (answer: Msg | Error) => {
        clearTimeout(late);
        this.#waiting.delete(reply);
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      };
      this.#waiting.set(reply, settle);
      try {
        this.#connection.publish(subject, data, { reply, ...(headers === undefined ? {} : { headers }) });
      } catch (error) {
        settle(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  /** One subscription for all answers. It comes back by itself with the connection. */
  #listen(): void {
    if (this.#listens) return;
    this.#connection.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error !== null) {
          // It is over with it: the next request asks for another.
          this.#listens = false;
          this.#end(error);
          return;
        }
        const isUnheard = message.data.length === 0 && message.headers?.code === noResponders;
        this.#waiting.get(message.subject)?.(isUnheard ? new Error('JetStream does not answer') : message);
      },
    });
    this.#listens = true;
  }

  #end(error: Error): void {
    for (const settle of [...this.#waiting.values()]) settle(error);
  }
}
