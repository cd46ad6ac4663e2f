// Takes the messages of the log into the index and the views, in the order of the log.
//
// 1. Messages are applied strictly one after the other by sequence, each once: the last one applied is in the same
//    transaction as what was made of it.
// 2. A message that cannot be read, or does not follow in its stream, harms its own stream only.
// 3. The index and the views change in the same turn of the event loop: neither is ever seen ahead of the other. Whoever
//    waits for a message is woken when both show it.
// 4. The transaction goes on for a while (see `OpenTransaction`). What it holds is kept here until it is on disk: if it comes
//    to nothing, all of it is applied again.
import { unavailable } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { appendsPerCommitMax, applyAgainMs, bytesPerCommitMax, readWaitMsMax } from '../../bounds.ts';
import type { LiveEvents } from '../../live-events.ts';
import type { Observe } from '../../observe.ts';
import type { Projection } from '../../views.ts';
import { isContradiction, isFailureOfFile, type SqlDatabase } from '../sqlite/database.ts';
import { lostRows } from '../sqlite-views/late-rows.ts';
import { Ahead, type Arrived, type Stretch } from './ahead.ts';
import { sequenceOf } from './batch-message.ts';
import type { StreamIndex } from './index-tables.ts';
import type { Message } from './leader.ts';
import type { Messages } from './messages.ts';
import { OpenTransaction } from './open-transaction.ts';
import { type Plan, planOf } from './plan.ts';
import { Waiting } from './waiting.ts';

export type PipelineParts = {
  readonly database: SqlDatabase;
  readonly index: StreamIndex;
  readonly projection: Projection;
  readonly messages: Messages;
  readonly live: LiveEvents;
  readonly log: Logger;
  readonly observe: Observe;
};

export class Pipeline {
  readonly #parts: PipelineParts;
  readonly #ahead = new Ahead();
  readonly #waiting = new Waiting();
  readonly #transaction: OpenTransaction;
  #room: (() => void)[] = [];
  #position: number;
  /** The same of what is on disk. */
  #committed: number;
  #scheduled = false;
  #closed = false;
  #failing = false;
  /** It writes or commits: what fails then is its own affair. */
  #writing = false;
  /** Up to here one message at a time, so that only the one that defeats a transaction is harmed. */
  #singlyUpTo = 0;
  /** The message that did: to be taken for one that cannot be read. */
  #guilty = 0;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    this.#position = parts.projection.checkpoint();
    this.#committed = this.#position;
    const due = () => void this.#settle();
    this.#transaction = new OpenTransaction({ ...parts, due });
  }

  /** Position up to which the index and the views show the log. */
  get position(): number {
    return this.#position;
  }

  /** Sequence of the last message that they show. */
  get applied(): number {
    return sequenceOf(this.#position);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Takes back what is not on disk yet: the file is to be written by others. It is applied again if nobody says otherwise. */
  takeBack(): void {
    this.#position = this.#committed;
    this.#transaction.takeBack();
  }

  /** Is told that the index and the views were emptied: what came before is of no use, and who follows begins anew. */
  rewound(): void {
    const { projection, index, messages, live } = this.#parts;
    projection.forget();
    index.forget();
    messages.forget();
    this.#ahead.clear();
    this.#makeRoom();
    [this.#singlyUpTo, this.#guilty] = [0, 0];
    this.#position = projection.checkpoint();
    this.#committed = this.#position;
    live.interrupt();
  }

  /** Takes an append that the log has just acknowledged, so that nobody waits until the feed brings it. */
  own(arrived: Arrived & { readonly kind: 'own' }): void {
    const { sequence } = arrived.append;
    if (sequence > this.applied + 1 && this.#ahead.full) return;
    this.#take(sequence, arrived);
  }

  /** Takes a message from the feed. Resolves when there is room for more, or none can come before the next message. */
  async received(message: Message): Promise<void> {
    this.#take(message.sequence, { kind: 'message', message });
    while (!this.#closed && this.#ahead.full && this.#getsOn())
      await new Promise<void>((resolve) => this.#room.push(resolve));
  }

  /** Is told that the log no longer holds some messages. */
  lost(from: number, upTo: number): void {
    if (from <= this.applied || this.#ahead.has(from)) return;
    this.#parts.log.error('the event log has lost messages; restore it from a backup', { from, upTo });
    this.#take(from, { kind: 'lost', upTo });
  }

  /**
   * Resolves once the message of a sequence is applied; without a turn of the event loop if it is already. Throws
   * `unavailable` after `waitMs`, when the signal aborts, or when the pipeline closes.
   */
  async reached(sequence: number, waitMs = readWaitMsMax, signal?: AbortSignal): Promise<void> {
    if (sequence <= this.applied) return;
    if (!this.#closed && signal?.aborted !== true) await this.#waiting.for(sequence, waitMs, signal);
    if (sequence > this.applied)
      throw unavailable('this replica of the store is behind the event log; try again', {}, { retryAfterMs: 1_000 });
  }

  /** Sees to it that all that was applied is on disk, applies nothing more and ends every wait. */
  close(): void {
    this.#settle();
    this.#closed = true;
    this.#waiting.close();
    this.#makeRoom();
  }

  /** True if there will be room without the feed: what fills it may all come after the message that the feed is to bring. */
  #getsOn(): boolean {
    return this.#transaction.isOpen || this.#ahead.has(this.applied + 1);
  }

  #take(sequence: number, arrived: Arrived): void {
    if (this.#closed || sequence <= this.applied) return;
    this.#ahead.add(sequence, arrived);
    if (sequence === this.applied + 1) this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // After the callbacks of all input that has arrived, so that what came together shares the transaction; and as a
    // rule after the answers to what is acknowledged have been written: the next step of a run waits for those, and nothing here
    // changes them.
    setImmediate(() =>
      setImmediate(() => {
        this.#scheduled = false;
        this.#apply();
      }),
    );
  }

  #apply(): void {
    if (this.#closed) return;
    const first = this.applied + 1;
    const arrived = first <= this.#singlyUpTo ? 1 : appendsPerCommitMax;
    const stretch = this.#ahead.from(first, { arrived, bytes: bytesPerCommitMax });
    if (stretch.arrived.length === 0) return;
    try {
      this.#alone(() => this.#write(stretch));
    } catch (error) {
      // It may be of any message of the transaction: rows are written late.
      this.#failed(sequenceOf(this.#committed) + 1, stretch.last, error);
      return;
    }
    this.#waiting.applied(first - 1, this.applied);
    // One that may have to be blamed is on disk before the next.
    const isDue = this.#transaction.isFull || this.#failing || first <= this.#singlyUpTo;
    if (isDue && !this.#settle()) return;
    if (this.#ahead.has(this.applied + 1)) this.#schedule();
  }

  /**
   * Is told that a row could not be written late; gives what whoever asked for it is to be thrown. Nobody goes on from what a
   * transaction held that may be gone.
   */
  lateFailure(error: unknown): unknown {
    if (this.#writing) return error;
    if (!this.#closed) this.#failed(sequenceOf(this.#committed) + 1, this.applied, error);
    return lostRows(error);
  }

  #alone<T>(work: () => T): T {
    this.#writing = true;
    try {
      return work();
    } finally {
      this.#writing = false;
    }
  }

  #write(stretch: Stretch): void {
    const plan = planOf(this.#parts, stretch, this.#guilty);
    this.#transaction.write(plan);
    plan.views.committed();
    this.#position = plan.position;
    this.#announce(plan);
  }

  /** Ends the transaction. False if it came to nothing: then all of it is applied again. */
  #settle(): boolean {
    if (this.#closed || !this.#transaction.isOpen) return true;
    const [first, last] = [sequenceOf(this.#committed) + 1, this.applied];
    try {
      this.#parts.observe({ kind: 'commit', ...this.#alone(() => this.#transaction.commit(this.#position)) });
    } catch (error) {
      this.#failed(first, last, error);
      return false;
    }
    if (this.#failing)
      this.#parts.log.info('messages of the event log are taken into the views again', { from: first });
    this.#failing = false;
    this.#ahead.drop(first, last);
    this.#committed = this.#position;
    this.#makeRoom();
    return true;
  }

  #announce({ damage, appends }: Plan): void {
    const { messages, live, log } = this.#parts;
    for (const { stream, sequence, reason } of damage)
      log.error('a message of the event log cannot be taken into the views; run `stopgo verify`', {
        stream,
        sequence,
        reason,
      });
    for (const append of appends) {
      messages.remember(append);
      live.publish(append.stream, append.events);
    }
  }

  /** Goes back to what is on disk, and on from there otherwise than before. */
  #failed(first: number, last: number, error: unknown): void {
    const { log } = this.#parts;
    try {
      this.takeBack();
    } catch (again) {
      log.error('the views cannot be read after a failed transaction', { error: again });
    }
    const ofTheMessages = isContradiction(error) || !isFailureOfFile(error);
    if (ofTheMessages && last > first) this.#singlyUpTo = last;
    else if (ofTheMessages && this.#guilty !== first) this.#guilty = first;
    else {
      // Once, however often it is tried.
      if (!this.#failing)
        log.error('messages of the event log could not be taken into the views; tried again', { error, from: first });
      this.#failing = true;
      setTimeout(() => this.#schedule(), applyAgainMs).unref();
      return;
    }
    this.#schedule();
  }

  #makeRoom(): void {
    const waiting = this.#room;
    this.#room = [];
    for (const go of waiting) go();
  }
}
