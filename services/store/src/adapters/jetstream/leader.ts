import { JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import { DomainError, type StreamName, unavailable } from '@stopgo/core';
import { askMsMax } from '../nats/bounds.ts';
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

/** The part of the server's words on a stream that is read. */
type StreamInfo = { readonly state?: { readonly last_seq?: unknown } };

export type LeaderParts = {
  readonly link: Pick<NatsLink, 'connection' | 'ask'>;
  readonly manager: JetStreamManager;
  readonly streamName: string;
};

/** Questions that only the leader of the stream answers: it knows all that was acknowledged. */
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
      const { state } = (await this.#requests.ask(subject, { waitMs: askMsMax })) as StreamInfo;
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

/** Whatever goes wrong here may be over soon: a server that starts, a leader that is elected, a disk that is full. */
function failureOf(error: unknown): DomainError {
  return error instanceof DomainError ? error : noAnswer(error);
}
