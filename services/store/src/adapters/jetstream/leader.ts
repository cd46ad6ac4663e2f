import { JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import { DomainError, type StreamName, unavailable } from '@stopgo/core';
import { askMsMax, copySilentMsMax } from '../nats/bounds.ts';
import type { NatsLink } from '../nats/link.ts';
import { subjectOf } from './batch-message.ts';
import { publish } from './publish.ts';
import { Requests } from './requests.ts';

/** A message of the stream as it came. */
export type Message = { readonly subject: string; readonly sequence: number; readonly data: Uint8Array };

/** What became of a message that was handed in. */
export type Published =
  | { readonly kind: 'stored'; readonly sequence: number }
  /** Not stored: the last message of its subject is another than expected. */
  | { readonly kind: 'moved' }
  /** No answer that says. */
  | { readonly kind: 'unknown'; readonly error: DomainError };

/** The server's words for an expected sequence that is not the last (the second since 2.11, inside a cluster). */
const wrongLastSequence: ReadonlySet<number> = new Set([10071, 10164]);

const retryAfterMs = 1_000;

/** Nothing is known about what was asked: no answer came, or none that says. */
export const noAnswer = (cause?: unknown): DomainError =>
  unavailable('the event log (NATS) does not answer now; try again', {}, { retryAfterMs, cause });

/** While the server that says it is not there. */
const messageBytesMaxDefault = 1024 * 1024;

/** What a stream holds, as of one moment. */
export type Kept = {
  /** Sequences of its first and its last message; where it holds none, the first is the one after the last. */
  readonly first: number;
  readonly last: number;
  readonly messages: number;
  /** Sequences between the two that have no message, in order; empty also if there are too many to be named. */
  readonly deleted: readonly number[];
};

/** The server names them in one answer. */
const namedDeletedMax = 20_000;

/** The part of the server's words on a stream that is read; `cluster` if it is in one. */
type StreamInfo = { readonly state?: { readonly last_seq?: unknown }; readonly cluster?: Cluster };

/** The server that leads, if any, and how long it has not heard from each of the others with a copy, in nanoseconds; 0: never. */
type Cluster = { readonly leader?: string; readonly replicas?: readonly { readonly active: number }[] };

export type LeaderParts = {
  readonly link: Pick<NatsLink, 'connection' | 'ask'>;
  readonly manager: JetStreamManager;
  readonly streamName: string;
};

/**
 * Questions to the leader of the stream, which knows all that was acknowledged.
 *
 * Where the log ends, it is believed only while it hears from enough servers that no other can have been elected. A wire that is cut in
 * one direction only can make that wrong for a second; what is appended is held by the fence all the same.
 */
export class Leader {
  readonly #parts: LeaderParts;
  readonly #requests: Requests;
  #asked: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(parts: LeaderParts) {
    this.#parts = parts;
    this.#requests = new Requests(parts.link.connection);
  }

  /** The most bytes that a message may have, headers included. */
  get messageBytesMax(): number {
    return this.#parts.link.connection.info?.max_payload ?? messageBytesMaxDefault;
  }

  /** Sequence of the last message, asked for after this call; whoever calls while a question is out shares the next. */
  lastSequence(): Promise<number> {
    if (this.#asked === undefined) {
      const asked = this.#askLast().finally(() => {
        if (this.#asked === asked) this.#asked = undefined;
      });
      this.#asked = asked;
      return asked;
    }
    this.#next ??= this.#asked
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        this.#next = undefined;
        return this.lastSequence();
      });
    return this.#next;
  }

  /** Sequence of the first message that the stream still holds. */
  async firstSequence(): Promise<number> {
    const { manager, streamName } = this.#parts;
    return (await this.#ask(() => manager.streams.info(streamName))).state.first_seq;
  }

  /** Which of all the numbers that the stream gave have a message. */
  async kept(): Promise<Kept> {
    const { manager, streamName } = this.#parts;
    const info = (details: boolean) => this.#ask(() => manager.streams.info(streamName, { deleted_details: details }));
    let { state } = await info(false);
    if (state.num_deleted > 0 && state.num_deleted <= namedDeletedMax) ({ state } = await info(true));
    const { first_seq: first, last_seq: last, messages, deleted = [] } = state;
    return { first, last, messages, deleted };
  }

  /** Sequence of the last message of a stream's subject; 0 if there is none. */
  async lastOf(stream: StreamName): Promise<number> {
    const { manager, streamName } = this.#parts;
    const found = await this.#ask(() => manager.streams.getMessage(streamName, { last_by_subj: subjectOf(stream) }));
    return found?.seq ?? 0;
  }

  /** The first message of a stream's subject from a sequence on; undefined if there is none. */
  async nextOf(stream: StreamName, sequence: number): Promise<Message | undefined> {
    const { manager, streamName } = this.#parts;
    const query = { seq: sequence, next_by_subj: subjectOf(stream) };
    const found = await this.#ask(() => manager.streams.getMessage(streamName, query));
    return found === null ? undefined : { subject: found.subject, sequence: found.seq, data: found.data };
  }

  /** Undefined if the stream does not hold it. */
  async message(sequence: number): Promise<Message | undefined> {
    const { manager, streamName } = this.#parts;
    const found = await this.#ask(() => manager.streams.getMessage(streamName, { seq: sequence }));
    return found === null ? undefined : { subject: found.subject, sequence: found.seq, data: found.data };
  }

  /** The same from whichever server has it; undefined also if that one does not have it yet. */
  async anyMessage(sequence: number): Promise<Message | undefined> {
    const { manager, streamName } = this.#parts;
    const found = await this.#ask(() => manager.direct.getMessage(streamName, { seq: sequence }));
    return found === null ? undefined : { subject: found.subject, sequence: found.seq, data: found.data };
  }

  /** Stores a message if the last of its subject is the one of this sequence (0: none). Never throws. */
  async publish(subject: string, data: Uint8Array, lastSequence: number, waitMs: number): Promise<Published> {
    const { link, streamName } = this.#parts;
    const expected = { stream: streamName, lastSubjectSequence: lastSequence };
    try {
      const sequence = await link.ask(() => publish(this.#requests, subject, data, expected, waitMs));
      return { kind: 'stored', sequence };
    } catch (error) {
      if (error instanceof JetStreamApiError && wrongLastSequence.has(error.code)) return { kind: 'moved' };
      return { kind: 'unknown', error: failureOf(error) };
    }
  }

  async #askLast(): Promise<number> {
    const subject = `$JS.API.STREAM.INFO.${this.#parts.streamName}`;
    return this.#ask(async () => {
      const { state, cluster } = (await this.#requests.ask(subject, { waitMs: askMsMax })) as StreamInfo;
      if (cluster !== undefined && !leads(cluster))
        throw new Error('an answer of a server that may not lead the stream');
      if (typeof state?.last_seq !== 'number') throw new Error('an answer that does not say where the stream ends');
      return state.last_seq;
    });
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await this.#parts.link.ask(question);
    } catch (error) {
      throw failureOf(error);
    }
  }
}

/**
 * True if an answer of a cluster is its leader's. Without a leader each server answers for its own copy; a leader that is cut off goes on
 * answering for up to 20 s, beside the one that the others have elected.
 */
function leads({ leader = '', replicas = [] }: Cluster): boolean {
  const heard = replicas.filter(({ active }) => active > 0 && active <= 1e6 * copySilentMsMax);
  return leader !== '' && 2 * (heard.length + 1) > replicas.length + 1;
}

/**
 * A server, or the account, has no space left; or the message could not be stored. Each may be said of a message that the servers of a
 * cluster have agreed on, or that was stored and taken out again (docs/decisions/0057-nothing-was-recorded-is-said-where-it-is-certain.md).
 */
const outOfSpace: ReadonlySet<number> = new Set([10023, 10002]);
const storeFailed = 10077;
const notStoredText =
  'the event log (NATS) has no space left, and it is not known whether this was recorded; look before you send it again';

/** Whatever goes wrong here may be over soon: a server that starts, a leader that is elected, a disk that is full. */
export function failureOf(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (!(error instanceof JetStreamApiError)) return noAnswer(error);
  const hasFailed = error.code === storeFailed && /space|maximum bytes|storage/i.test(error.message);
  if (outOfSpace.has(error.code) || hasFailed)
    return unavailable(notStoredText, { reason: 'disk_full' }, { retryAfterMs, cause: error });
  return noAnswer(error);
}
