// Where a transaction is made:
//
// 1. By a thread, while several have appended a moment ago: the process goes on meanwhile, and what comes gathers for the next
//    transaction.
// 2. At once, on a connection of this thread, where nobody else is held up by it: a hop to another thread and back would only take time.
// 3. At once as well where no thread can be had, and where SQLite's log of the file is to be begun anew: that is done by whoever writes
//    while nobody reads, once all of it is in the file itself.
//
// While the thread writes, the reader is held: all that this process reads is as of the last transaction that it knows of.
import type { Logger } from '@stopgo/runtime';
import { bytesPerMove, commitsPerMove, commitThreadsMax, logPagesMax } from '../../bounds.ts';
import { CommitThread } from './commit-thread.ts';
import { inOneStep, type SqlDatabase } from './database.ts';
import type { PinnedReader } from './pinned-reader.ts';
import type { FilePlace } from './place-of-file.ts';
import type { RecordedWrites } from './recorded-writes.ts';
import type { TransactionWriter } from './transaction-writer.ts';

export type AlternatingWriterParts = {
  readonly recorded: RecordedWrites;
  readonly direct: SqlDatabase;
  readonly reader: PinnedReader;
  readonly file: string;
  readonly place: FilePlace;
  /** Of the thread's connection, as PRAGMA takes them. */
  readonly settings: readonly string[];
  /** Is told where commits are made without a thread because none can be had. */
  readonly log: Logger;
  /** Starts a thread; throws if none can be had. */
  readonly startThread?: ((file: string, place: FilePlace, settings: readonly string[]) => Thread) | undefined;
};

/** What a transaction needs of a thread. */
export type Thread = Pick<CommitThread, 'isAlive' | 'ended' | 'make' | 'moveLog' | 'close'>;

/** The writer of a file that this process has to itself. */
export class AlternatingWriter implements TransactionWriter {
  readonly #parts: AlternatingWriterParts;
  #thread: Thread | undefined;
  #threads = 0;
  /** Why there is no thread now; undefined if none was needed yet. */
  #cause: unknown;
  #isRefused = false;
  #isGivenUp = false;
  #commits = 0;
  #bytes = 0;
  /** Resolves when SQLite's log is moved into the file. */
  #moving: Promise<void> | undefined;
  /** That log is long, and can be begun anew. */
  #isLogDue = false;

  constructor(parts: AlternatingWriterParts) {
    this.#parts = parts;
  }

  async write(change: () => void, made: () => void, isFree: boolean): Promise<void> {
    const { recorded, reader } = this.#parts;
    if (this.#moving !== undefined) await this.#moving;
    const thread = this.#isLogDue || isFree ? undefined : this.#running();
    if (thread === undefined) {
      this.#isLogDue = false;
      inOneStep(this.#parts.direct, change);
      made();
      return;
    }
    const writes = recorded.record(change);
    reader.hold();
    try {
      this.#bytes += (await thread.make(writes)).bytes;
      made();
    } finally {
      reader.letGo();
    }
    this.#commits += 1;
    if (this.#commits < commitsPerMove && this.#bytes < bytesPerMove) return;
    [this.#commits, this.#bytes] = [0, 0];
    // Whoever reads from here on sees all of it, and keeps none of it from being moved.
    this.#moving = thread.moveLog().then(({ pages, isMoved }) => {
      this.#isLogDue = isMoved && pages >= logPagesMax;
      this.#moving = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#moving;
    await this.#thread?.close();
    this.#parts.reader.close();
  }

  /** One that ended is followed by another, a few times; undefined where none can be had. */
  #running(): Thread | undefined {
    const { file, place, settings, startThread = started } = this.#parts;
    if (this.#thread?.isAlive === true) return this.#thread;
    this.#cause = this.#thread?.ended ?? this.#cause;
    this.#thread = undefined;
    if (this.#threads === commitThreadsMax) {
      this.#giveUp();
      return undefined;
    }
    this.#threads += 1;
    try {
      this.#thread = startThread(file, place, settings);
    } catch (error) {
      this.#refused(error);
    }
    return this.#thread;
  }

  #refused(cause: unknown): void {
    this.#cause = cause;
    if (this.#isRefused) return;
    this.#isRefused = true;
    this.#parts.log.warn('no thread can be had to write the event log; until one can, it is written without', {
      error: cause,
    });
  }

  #giveUp(): void {
    if (this.#isGivenUp) return;
    this.#isGivenUp = true;
    this.#parts.log.warn('no more threads are tried to write the event log; from here on it is written without', {
      threads: this.#threads,
      error: this.#cause,
    });
  }
}

const started: NonNullable<AlternatingWriterParts['startThread']> = (...all) => new CommitThread(...all);
