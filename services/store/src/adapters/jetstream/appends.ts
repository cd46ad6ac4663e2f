// An append is one message, and the server stores it only if the last message of its subject is the expected one.
//
// 1. What this replica knows of a stream is a guess; the fence decides. A guess that answers `conflict` is first compared
//    with what the leader knows.
// 2. One call never makes two messages: whatever is tried again are the same bytes with the same expected sequence, of
//    which only one can land.
// 3. "Wrong sequence" and no answer at all mean the same: somebody moved the stream, and perhaps this very append did. Only
//    its key in the stream tells.
// 4. Appends of one stream go one after the other, each from where the one before it ended.
import { dataLoss, resourceExhausted, type StreamName, unavailable } from '@stopgo/core';
import {
  appendWaitMsMax,
  closeWaitMsMax,
  publishAgainMs,
  publishWaitMsMax,
  waitingAppendsMax,
  waitingBytesMax,
} from '../../bounds.ts';
import type { AppendOutcome, RecordedEvent, StreamAppend } from '../../event-log.ts';
import type { Observe } from '../../observe.ts';
import { equal } from '../../problems.ts';
import type { Projection } from '../../views.ts';
import type { NatsLink } from '../nats/link.ts';
import { type PlannedAppend, planAppend } from './append-plan.ts';
import { loggedAppend, positionOf, sequenceOf, subjectOf } from './batch-message.ts';
import type { IndexedHead, StreamIndex } from './index-tables.ts';
import { type Leader, noAnswer } from './leader.ts';
import type { NoSpace } from './no-space.ts';
import type { Pipeline } from './pipeline.ts';

export type AppendsParts = {
  readonly link: Pick<NatsLink, 'connected'>;
  readonly leader: Leader;
  readonly pipeline: Pipeline;
  readonly index: StreamIndex;
  readonly projection: Projection;
  /** Is told of appends that are refused because the servers have no space, and of those that are stored. */
  readonly space: Pick<NoSpace, 'refused' | 'stored'>;
  /** The events after a revision up to another, or none of them if they are more than a page. */
  readonly unseen: (stream: StreamName, after: number, upTo: number) => Promise<readonly RecordedEvent[]>;
  readonly observe: Observe;
};

const retryAfterMs = 1_000;
/** Room for the headers of a message, in bytes. */
const headerBytesMax = 512;

export class Appends {
  readonly #parts: AppendsParts;
  /** The last append of each stream that is at work, until the index shows it. */
  readonly #last = new Map<StreamName, Promise<void>>();
  #count = 0;
  #bytes = 0;
  #acknowledged = 0;
  #closed = false;
  #idle: () => void = () => undefined;

  constructor(parts: AppendsParts) {
    this.#parts = parts;
  }

  /** Sequence of the last message that was acknowledged to this replica. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Is told that the index begins anew, and where the log ends: all of that is to be shown before it is spoken of. */
  rewound(last: number): void {
    this.#acknowledged = last;
  }

  /** As {@link EventLog.append}. */
  async append(append: StreamAppend): Promise<AppendOutcome> {
    if (this.#closed) throw unavailable('the store is stopping; repeat with the same idempotency key');
    const bytes = append.events.reduce((sum, event) => sum + event.payload.byteLength, 0);
    if (this.#count >= waitingAppendsMax || this.#bytes + bytes > waitingBytesMax)
      throw resourceExhausted('too many appends wait for the event log; repeat later', {}, { retryAfterMs });
    this.#count++;
    this.#bytes += bytes;
    try {
      const outcome = await this.#inTurn(append, performance.now() + appendWaitMsMax);
      this.#parts.observe({
        kind: 'append',
        stream: append.stream,
        events: append.events.length,
        outcome: outcome.kind,
      });
      return outcome;
    } finally {
      this.#count--;
      this.#bytes -= bytes;
      if (this.#count === 0) this.#idle();
    }
  }

  /** Takes no more and waits for those at work, at most `closeWaitMsMax`. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, closeWaitMsMax);
      this.#idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #inTurn(append: StreamAppend, deadline: number): Promise<AppendOutcome> {
    const { stream } = append;
    const before = this.#last.get(stream);
    const turn = before === undefined ? this.#run(append, deadline) : before.then(() => this.#run(append, deadline));
    const shown = this.#shown(turn, deadline);
    this.#last.set(stream, shown);
    void shown.then(() => {
      if (this.#last.get(stream) === shown) this.#last.delete(stream);
    });
    return await turn;
  }

  /** The next append of the stream goes on from what this one leaves. Never rejects: at worst the next one has to look. */
  async #shown(turn: Promise<AppendOutcome>, deadline: number): Promise<void> {
    try {
      const outcome = await turn;
      if (outcome.kind === 'appended')
        await this.#parts.pipeline.reached(sequenceOf(outcome.position), deadline - performance.now());
    } catch {
      // The caller is told.
    }
  }

  async #run(append: StreamAppend, deadline: number): Promise<AppendOutcome> {
    if (performance.now() >= deadline) throw noAnswer();
    const { index } = this.#parts;
    const { stream, expectedRevision } = append;
    const known = this.#known(append);
    if (known !== undefined) return known;
    let head = index.head(stream);
    if ((head?.revision ?? 0) !== expectedRevision) {
      head = await this.#lookAgain(stream, deadline);
      const found = this.#known(append);
      if (found !== undefined) return found;
      if ((head?.revision ?? 0) !== expectedRevision) return await this.#conflict(append, head);
    }
    return await this.#publish(append, head, deadline);
  }

  async #publish(append: StreamAppend, head: IndexedHead | undefined, deadline: number): Promise<AppendOutcome> {
    const { leader, pipeline, projection, space } = this.#parts;
    const planned = planAppend(append, head, projection, {
      key: pipeline.applied + 1,
      bytesMax: leader.messageBytesMax - headerBytesMax,
    });
    const subject = subjectOf(append.stream);
    const expected = head?.sequence ?? 0;
    let mayHaveLanded = false;
    for (;;) {
      const waitMs = Math.min(publishWaitMsMax, Math.max(publishAgainMs, deadline - performance.now()));
      const published = await leader.publish(subject, planned.data, expected, waitMs);
      if (published.kind === 'stored') return this.#stored(planned, published.sequence);
      mayHaveLanded ||= published.kind === 'unknown';
      if (published.kind === 'unknown' && published.error.details.reason === 'disk_full')
        space.refused(planned.data.byteLength);
      const now = await this.#lookAgain(append.stream, deadline);
      const found = this.#known(append, mayHaveLanded ? planned.hash : undefined);
      if (found !== undefined) return found;
      if ((now?.sequence ?? 0) !== expected) return await this.#conflict(append, now);
      if (performance.now() + publishAgainMs >= deadline)
        throw published.kind === 'unknown' ? published.error : noAnswer();
      await pause(publishAgainMs);
    }
  }

  #stored({ parts, data, known }: PlannedAppend, sequence: number): AppendOutcome {
    const append = loggedAppend(parts, sequence, data.byteLength);
    this.#parts.space.stored(data.byteLength);
    this.#acknowledged = Math.max(this.#acknowledged, sequence);
    this.#parts.pipeline.own({ kind: 'own', append, known });
    const position = positionOf(sequence, append.events.length - 1);
    return { kind: 'appended', revision: append.lastRevision, position };
  }

  /** The end of a stream as the leader knows it, once this replica shows it. */
  async #lookAgain(stream: StreamName, deadline: number): Promise<IndexedHead | undefined> {
    const { index, pipeline } = this.#parts;
    const last = await this.#lastOf(stream, deadline);
    await pipeline.reached(last, deadline - performance.now());
    const head = index.head(stream);
    if ((head?.sequence ?? 0) < last)
      throw dataLoss(`message ${last} of the event log, the last of ${stream}, cannot be read; run \`stopgo verify\``);
    return head;
  }

  /** A server that has just begun does not answer at once. */
  async #lastOf(stream: StreamName, deadline: number): Promise<number> {
    const { leader, link } = this.#parts;
    for (;;) {
      try {
        return await leader.lastOf(stream);
      } catch (error) {
        if (!link.connected() || performance.now() + publishAgainMs >= deadline) throw error;
        await pause(publishAgainMs);
      }
    }
  }

  /** What the stream knows of this append: a duplicate, or with a hash perhaps the message of this very call. */
  #known({ stream, idempotencyKey }: StreamAppend, hash?: Uint8Array): AppendOutcome | undefined {
    const known = this.#parts.index.key(stream, idempotencyKey);
    if (known === undefined) return undefined;
    const { firstRevision, lastRevision: revision, sequence, requestDigest } = known;
    const position = positionOf(sequence, revision - firstRevision);
    return hash !== undefined && equal(hash, known.hash)
      ? { kind: 'appended', revision, position }
      : { kind: 'duplicate', revision, position, requestDigest };
  }

  async #conflict(append: StreamAppend, head: IndexedHead | undefined): Promise<AppendOutcome> {
    const revision = head?.revision ?? 0;
    const { stream, expectedRevision } = append;
    return { kind: 'conflict', revision, unseen: await this.#parts.unseen(stream, expectedRevision, revision) };
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
