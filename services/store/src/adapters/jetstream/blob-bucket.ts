import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { DomainError, failedPrecondition } from '@stopgo/core';
import { blobChangeMsMax, publishAgainMs, publishWaitMsMax } from '../../bounds.ts';
import { askMsMax } from '../nats/bounds.ts';
import type { NatsLink } from '../nats/link.ts';
import { type BlobHead, decodeHead, encodeHead, noHead } from './blob-head.ts';
import { failureOf, noAnswer } from './leader.ts';
import type { NoSpace } from './no-space.ts';
import { publish } from './publish.ts';
import { Requests } from './requests.ts';

const subjects = 'stopgo.blobs';
const headOf = (digest: string) => `${subjects}.head.${digest}`;
const markSubject = (digest: string) => `${subjects}.open.${digest}`;
const piecesOf = (upload: string) => `${subjects}.piece.${upload}`;

/** The server's words for an expected sequence that is not the last, and for a name that is taken. */
const wrongLastSequence: ReadonlySet<number> = new Set([10071, 10164]);
const nameTaken = 10058;

export type BlobBucketOptions = {
  readonly link: Pick<NatsLink, 'connection' | 'ask' | 'address'>;
  /** Name of the stream of the event log. */
  readonly stream: string;
  readonly replicas: number;
  /** Is told of what is refused because the servers have no space, and of what is stored. */
  readonly space: Pick<NoSpace, 'refused' | 'stored'>;
};

export type Mark = { readonly sequence: number; readonly at: number };

/** A head as it was read; sequence 0: there is none. */
export type ReadHead = { readonly head: BlobHead; readonly sequence: number };

/**
 * The messages of the blobs, in a stream beside that of the events: heads, pieces, and for each blob that is not settled a mark. All is
 * asked of the stream's leader. It is made when it is needed first.
 */
export class BlobBucket {
  readonly #options: BlobBucketOptions;
  readonly #name: string;
  readonly #requests: Requests;
  #opened: Promise<JetStreamManager> | undefined;

  constructor(options: BlobBucketOptions) {
    this.#options = options;
    this.#name = `${options.stream}_BLOBS`;
    this.#requests = new Requests(options.link.connection);
  }

  async head(digest: string): Promise<ReadHead> {
    const found = await this.#last(headOf(digest));
    return found === null ? { head: noHead, sequence: 0 } : { head: decodeHead(found.data), sequence: found.seq };
  }

  /** Writes a head if it is still the one of this sequence; false if it is not. Rejects if nobody knows. */
  async writeHead(digest: string, head: BlobHead, sequence: number): Promise<boolean> {
    try {
      await this.#put(headOf(digest), encodeHead(head), sequence);
      return true;
    } catch (error) {
      if (error instanceof JetStreamApiError && wrongLastSequence.has(error.code)) return false;
      throw error;
    }
  }

  /**
   * Marks a blob as one to look at, and changes its head, from whatever it is by then: `change` may be called again with what it has given, and gives the same head where
   * nothing is to be changed. Rejects with what `change` throws, and with `unavailable`.
   */
  async change(digest: string, change: (head: BlobHead) => BlobHead): Promise<BlobHead> {
    const until = performance.now() + blobChangeMsMax;
    for (;;) {
      try {
        // Each time anew: a mark is removed when it is old.
        await this.#put(markSubject(digest), new Uint8Array(), undefined);
        const { head, sequence } = await this.head(digest);
        const next = change(head);
        if (next === head || (await this.writeHead(digest, next, sequence))) return next;
      } catch (error) {
        if (error instanceof DomainError || performance.now() > until) throw failureOf(error);
      }
      if (performance.now() > until) throw noAnswer();
      await new Promise((resolve) => setTimeout(resolve, publishAgainMs));
    }
  }

  /** Digests that are marked, in order. */
  async marked(): Promise<readonly string[]> {
    return this.#digests(markSubject('*'));
  }

  /** Digests that have a head, in order. */
  async heads(): Promise<readonly string[]> {
    return this.#digests(headOf('*'));
  }

  /** The mark of a blob: its sequence, and when it was written, in milliseconds since 1970. */
  async markOf(digest: string): Promise<Mark | undefined> {
    const found = await this.#last(markSubject(digest));
    return found === null ? undefined : { sequence: found.seq, at: found.time.getTime() };
  }

  /** Removes a head, or a mark, if it is still the message of this sequence. */
  async remove(sequence: number): Promise<void> {
    if (sequence === 0) return;
    const manager = await this.#manager();
    await this.#asked(() => manager.streams.deleteMessage(this.#name, sequence, false)).catch(() => false);
  }

  async putPiece(upload: string, piece: number, bytes: Uint8Array): Promise<void> {
    const until = performance.now() + blobChangeMsMax;
    for (;;) {
      try {
        await this.#put(`${piecesOf(upload)}.${piece}`, bytes, undefined);
        return;
      } catch (error) {
        // The same bytes again do no harm.
        if (performance.now() > until) throw failureOf(error);
        await new Promise((resolve) => setTimeout(resolve, publishAgainMs));
      }
    }
  }

  /** Undefined if it is not there. */
  async piece(upload: string, piece: number): Promise<Uint8Array | undefined> {
    return (await this.#last(`${piecesOf(upload)}.${piece}`))?.data;
  }

  async removePieces(upload: string): Promise<void> {
    const manager = await this.#manager();
    await this.#asked(() => manager.streams.purge(this.#name, { filter: `${piecesOf(upload)}.*` }));
  }

  async #digests(filter: string): Promise<readonly string[]> {
    const manager = await this.#manager();
    const { state } = await this.#asked(() => manager.streams.info(this.#name, { subjects_filter: filter }));
    const prefix = filter.length - 1;
    return Object.keys(state.subjects ?? {})
      .map((subject) => subject.slice(prefix))
      .sort();
  }

  async #last(subject: string) {
    const manager = await this.#manager();
    return this.#asked(() => manager.streams.getMessage(this.#name, { last_by_subj: subject }));
  }

  async #put(subject: string, data: Uint8Array, lastSubjectSequence: number | undefined): Promise<number> {
    await this.#manager();
    const expected = { stream: this.#name, ...(lastSubjectSequence === undefined ? {} : { lastSubjectSequence }) };
    const { link, space } = this.#options;
    try {
      const sequence = await link.ask(() => publish(this.#requests, subject, data, expected, publishWaitMsMax));
      space.stored(data.byteLength);
      return sequence;
    } catch (error) {
      if (failureOf(error).details.reason === 'disk_full') space.refused(data.byteLength);
      throw error;
    }
  }

  async #asked<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await this.#options.link.ask(question);
    } catch (error) {
      throw failureOf(error);
    }
  }

  #manager() {
    this.#opened ??= this.#open();
    this.#opened.catch(() => {
      this.#opened = undefined;
    });
    return this.#opened;
  }

  /** Finds the stream, or makes it, and looks whether it keeps what it is given. */
  async #open(): Promise<JetStreamManager> {
    const { link, replicas } = this.#options;
    const manager = await jetstreamManager(link.connection, { timeout: askMsMax, checkAPI: false });
    const config = {
      name: this.#name,
      description: 'What results of tools hold beside text, for Stop and Go.',
      subjects: [`${subjects}.>`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      max_msgs_per_subject: 1,
      num_replicas: replicas,
    };
    const found = await this.#asked(async () => {
      try {
        return await manager.streams.add(config);
      } catch (error) {
        if (!(error instanceof JetStreamApiError) || error.code !== nameTaken) throw error;
        return manager.streams.info(this.#name);
      }
    });
    const { storage, num_replicas: copies, max_msgs_per_subject: most, max_age: age } = found.config;
    if (storage !== StorageType.File || copies !== replicas || most !== 1 || age !== 0)
      throw failedPrecondition(
        `the stream ${this.#name} of NATS at ${link.address} cannot hold blobs: it must be of storage file, have ${replicas} replicas, one message for each subject and no max_age`,
      );
    return manager;
  }
}
