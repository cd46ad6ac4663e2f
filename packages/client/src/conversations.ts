import type { Asking, Connection } from './connection.ts';
import { parseExact } from './exact-json.ts';
import { type FollowOptions, follow } from './follow.ts';
import type { Conversation, ConversationEvent, DeltaEvent } from './gen/description.ts';
import { type AnswerOf, type BodyOf, call, everyItem, pathOf, type QueryOf } from './operations.ts';

/** What an event stream of a conversation tells: what is on the record, or a piece of an answer that a model is still writing. */
export type ConversationNews =
  | { readonly kind: 'event'; readonly event: ConversationEvent }
  | { readonly kind: 'delta'; readonly delta: DeltaEvent };

type MessageWishes = Omit<BodyOf<'POST /conversations/{id}/messages'>, 'message'>;
type StartWishes = Omit<NonNullable<BodyOf<'POST /conversations'>>, 'message'>;

/** Conversations of a platform. Each is asked for by its id; a run by that of its conversation. */
export class Conversations {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Opens a conversation with a message; the answer comes when its run is done, waits for people, or has taken long. */
  start(message: string, wishes: StartWishes = {}, asking: Asking = {}): Promise<AnswerOf<'POST /conversations'>> {
    return call(this.#connection, 'POST /conversations', { ...asking, body: { message, ...wishes } });
  }

  /** Sends a message to one. An answer with `error` says why it was not taken. */
  send(id: string, message: string, wishes: MessageWishes = {}, asking: Asking = {}) {
    const input = { ...asking, path: { id }, body: { message, ...wishes } };
    return call(this.#connection, 'POST /conversations/{id}/messages', input);
  }

  /** One of them; with `revision` as it stood at that event. */
  async get(id: string, query: { readonly revision?: number } = {}, asking: Asking = {}): Promise<Conversation> {
    const input = { ...asking, path: { id }, query };
    return (await call(this.#connection, 'GET /conversations/{id}', input)).conversation;
  }

  /** A page of them, the newest first. */
  list(query: QueryOf<'GET /conversations'> = {}, asking: Asking = {}): Promise<AnswerOf<'GET /conversations'>> {
    return call(this.#connection, 'GET /conversations', { ...asking, query });
  }

  /** All that the query gives, page after page. */
  all(query: QueryOf<'GET /conversations'> = {}, asking: Asking = {}): AsyncGenerator<Conversation, void, undefined> {
    const page = (cursor: object) => this.list({ ...query, ...cursor }, asking);
    return everyItem(page, ({ conversations }) => conversations);
  }

  /** Answers what a tool server, or an agent, asks people (`pending_inputs`). */
  answer(id: string, input: string, answer: BodyOf<'POST /conversations/{id}/inputs/{input}'>, asking: Asking = {}) {
    const sent = { ...asking, path: { id, input }, body: answer };
    return call(this.#connection, 'POST /conversations/{id}/inputs/{input}', sent);
  }

  /** Ends the run. */
  cancel(id: string, reason?: string, asking: Asking = {}) {
    return call(this.#connection, 'POST /conversations/{id}/cancel', { ...asking, path: { id }, body: said(reason) });
  }

  /** Nothing new begins in the run until it is resumed. */
  pause(id: string, reason?: string, asking: Asking = {}) {
    return call(this.#connection, 'POST /runs/{id}/pause', { ...asking, path: { id }, body: said(reason) });
  }

  resume(id: string, asking: Asking = {}): Promise<AnswerOf<'POST /runs/{id}/resume'>> {
    return call(this.#connection, 'POST /runs/{id}/resume', { ...asking, path: { id }, body: {} });
  }

  /** Whether the record is sound. */
  verify(id: string, asking: Asking = {}): Promise<AnswerOf<'GET /conversations/{id}/verification'>> {
    return call(this.#connection, 'GET /conversations/{id}/verification', { ...asking, path: { id } });
  }

  /** All there is of it, with the bytes and hashes of its events. */
  export(id: string, asking: Asking = {}): Promise<AnswerOf<'GET /conversations/{id}/export'>> {
    return call(this.#connection, 'GET /conversations/{id}/export', { ...asking, path: { id } });
  }

  /**
   * What happens in it, each event once and in order, from the one after the revision `after` on: first what is on the record, then what comes.
   * It connects again by itself, and ends when the signal aborts. Pieces of answers come while they are written, and may be lost.
   *
   * @throws ApiError if there is no such conversation, or it is not for whoever asks.
   */
  async *events(
    id: string,
    { after = 0, ...options }: FollowOptions & { readonly after?: number } = {},
  ): AsyncGenerator<ConversationNews, void, undefined> {
    let last = after;
    const path = pathOf('/conversations/{id}/events', { id });
    for await (const { name, data } of follow(this.#connection, path, { ...options, ...placed(last) })) {
      if (data === undefined) continue;
      if (name === 'delta') {
        yield { kind: 'delta', delta: parseExact(data) as DeltaEvent };
        continue;
      }
      const event = parseExact(data) as ConversationEvent;
      if (event.revision <= last) continue;
      last = event.revision;
      yield { kind: 'event', event };
    }
  }
}

const said = (reason: string | undefined) => (reason === undefined ? {} : { reason });

/** The place to go on from; none: from the first event on. */
const placed = (revision: number) => (revision > 0 ? { lastId: String(revision) } : {});
