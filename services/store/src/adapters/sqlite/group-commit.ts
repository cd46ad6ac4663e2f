// Many appends share one transaction, and so one fsync. What comes while one is being written shares the next; with many appenders at
// work that one is held back for a moment.
//
// 1. Nothing is answered before its commit is on disk; not a duplicate or conflict either, as it may be one with an
//    append of the same commit.
// 2. An append that is refused harms no other. A commit that contradicts stored rows is tried append by append, so that
//    only the guilty one fails; and each of them carefully, as its key may be known.
// 3. After a commit that failed, nothing kept in memory is trusted; and as it may be on disk all the same, who follows reads again.
import { chainStart, DomainError, resourceExhausted, unavailable } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { appendsPerCommitMax, bytesPerCommitMax, waitingAppendsMax, waitingBytesMax } from '../../bounds.ts';
import type { DiskCondition } from '../../disk-condition.ts';
import type { AppendOutcome, StreamAppend } from '../../event-log.ts';
import type { LiveEvents } from '../../live-events.ts';
import type { Observe } from '../../observe.ts';
import type { Projection, ProjectionBatch } from '../../views.ts';
import { AppendPlan } from './append-plan.ts';
import { sealOf } from './append-seal.ts';
import type { CommitTime } from './commit-time.ts';
import { isContradiction, isFailureOfFile } from './database.ts';
import type { LogTables } from './log-tables.ts';
import { RecentStreams } from './recent-streams.ts';
import type { StreamHeads } from './stream-heads.ts';
import type { TransactionWriter } from './transaction-writer.ts';

type Waiting = {
  readonly append: StreamAppend;
  readonly bytes: number;
  resolve(outcome: AppendOutcome): void;
  reject(error: unknown): void;
};

export type GroupCommitParts = {
  readonly writer: TransactionWriter;
  readonly tables: LogTables;
  readonly heads: StreamHeads;
  readonly projection: Projection;
  readonly live: LiveEvents;
  readonly log: Logger;
  readonly observe: Observe;
  /** Is told of commits that failed; says nothing of those that are not the disk's fault. */
  readonly disk: Pick<DiskCondition, 'failed'>;
  /** Throws where nothing must be written any more: the file is not at its place. */
  readonly checkPlace: () => void;
  readonly time: CommitTime;
};

const retryAfterMs = 1_000;

export class GroupCommit {
  readonly #parts: GroupCommitParts;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  readonly #recent = new RecentStreams();
  /** From when a commit is due until it has ended. */
  #committing: Promise<void> | undefined;
  #began = Number.NEGATIVE_INFINITY;
  /** Ends the time that a commit is held back. */
  #hurry: (() => void) | undefined;
  #closed = false;

  constructor(parts: GroupCommitParts) {
    this.#parts = parts;
  }

  /** Queues an append for the next commit. */
  append(append: StreamAppend): Promise<AppendOutcome> {
    if (this.#closed) return Promise.reject(unavailable('the store is stopping; repeat with the same idempotency key'));
    const bytes = append.events.reduce((sum, event) => sum + event.payload.byteLength, 0);
    if (this.#waiting.length >= waitingAppendsMax || this.#waitingBytes + bytes > waitingBytesMax)
      return Promise.reject(
        resourceExhausted('too many appends wait for the disk; repeat later', {}, { retryAfterMs }),
      );
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, bytes, resolve, reject });
      this.#waitingBytes += bytes;
      this.#recent.appended(append.stream, this.#parts.time.now());
      if (this.#isPressing()) this.#hurry?.();
      this.#committing ??= this.#commitAll();
    });
  }

  /** Takes no more, and commits what waits. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#hurry?.();
    await this.#committing;
  }

  async #commitAll(): Promise<void> {
    // After the callbacks of all input that has arrived: their appends share the commit.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      await this.#gathered();
      this.#began = this.#parts.time.now();
      await this.#commit(this.#next());
    }
    this.#committing = undefined;
  }

  /** Resolves when the next commit is to begin. */
  async #gathered(): Promise<void> {
    const { time } = this.#parts;
    const now = time.now();
    const ms = this.#began + this.#recent.gatherMs(now) - now;
    if (ms <= 0 || this.#isPressing()) return;
    await new Promise<void>((resolve) => {
      const callOff = time.after(ms, resolve);
      this.#hurry = () => {
        callOff();
        resolve();
      };
    });
    this.#hurry = undefined;
  }

  #isPressing(): boolean {
    return this.#closed || this.#waiting.length >= appendsPerCommitMax;
  }

  #next(): readonly Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const one of this.#waiting) {
      if (count > 0 && (count >= appendsPerCommitMax || bytes + one.bytes > bytesPerCommitMax)) break;
      bytes += one.bytes;
      count++;
    }
    const batch = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#waitingBytes -= bytes;
    return batch;
  }

  async #commit(batch: readonly Waiting[], careful = false): Promise<void> {
    const { tables, heads, projection } = this.#parts;
    const settled: (() => void)[] = [];
    try {
      const views = projection.begin();
      const plan = new AppendPlan(tables, heads, views, careful);
      for (const waiting of batch) {
        const settle = this.#plan(plan, waiting);
        settled.push(settle);
      }
      if (plan.appends.length > 0) await this.#write(plan, views);
    } catch (error) {
      await this.#failed(batch, careful, error);
      return;
    }
    for (const settle of settled) settle();
  }

  /** What to tell the appender once the commit is on disk. An append that cannot be planned has left no trace in the plan. */
  #plan(plan: AppendPlan, { append, resolve, reject }: Waiting): () => void {
    try {
      const outcome = plan.add(append);
      return () => {
        const { stream, events } = append;
        this.#parts.observe({ kind: 'append', stream, events: events.length, outcome: outcome.kind });
        resolve(outcome);
      };
    } catch (error) {
      if (!(error instanceof DomainError))
        this.#parts.log.error('an append could not be planned', { stream: append.stream, error });
      return () => reject(error);
    }
  }

  async #write(plan: AppendPlan, views: ProjectionBatch): Promise<void> {
    const { writer, tables, heads, projection, checkPlace, time } = this.#parts;
    checkPlace();
    const change = (): void => {
      for (const { stream, streamId, newStream, key, events } of plan.appends) {
        if (newStream) tables.insertStream(streamId, stream);
        for (const { revision, event } of events)
          tables.insertEvent(Number(event.position), streamId, revision, event.envelope, event.hash);
        const lastHash = events.at(-1)?.event.hash ?? chainStart;
        const seal = sealOf(stream, key, lastHash);
        tables.insertAppend(streamId, key.key, key.firstRevision, key.lastRevision, key.requestDigest, seal);
      }
      views.write();
      projection.moveTo(plan.position);
    };
    const made = (): void => {
      heads.moved(plan.movedHeads(), plan.position, plan.streamId);
      views.committed();
      this.#announce(plan);
    };
    await writer.write(change, made, this.#recent.areFew(time.now()));
  }

  #announce(plan: AppendPlan): void {
    const { live, observe } = this.#parts;
    const events = plan.appends.reduce((sum, one) => sum + one.events.length, 0);
    observe({ kind: 'commit', appends: plan.appends.length, events });
    for (const one of plan.appends) live.publish(one.stream, one.events);
  }

  async #failed(batch: readonly Waiting[], wasCareful: boolean, cause: unknown): Promise<void> {
    const { log, live } = this.#parts;
    try {
      this.#forget();
    } catch (error) {
      log.error('the event log cannot be read after a failed commit', { error });
    }
    live.lookAgain();
    // Any other failure that is not the file's is a defect met by one of them.
    if (!wasCareful && (isContradiction(cause) || !isFailureOfFile(cause))) {
      for (const one of batch) await this.#commit([one], true);
      return;
    }
    if (!this.#parts.disk.failed(cause, batch.length))
      log.error('a commit failed; none of its appends was acknowledged', { error: cause, appends: batch.length });
    for (const { reject } of batch) reject(cause);
  }

  #forget(): void {
    const { heads, projection } = this.#parts;
    // First, whatever becomes of the rest: what it holds back is of this transaction only.
    projection.forget();
    heads.forget();
  }
}
