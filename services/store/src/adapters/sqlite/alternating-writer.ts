// Where a transaction is made:
//
// 1. By a thread, while others have appended a moment ago: the process goes on meanwhile, and what comes gathers for the next
//    transaction.
// 2. At once, on a connection of this thread, where nobody else is held up by it: a hop to another thread and back would only take time.
// 3. At once as well where SQLite's log of the file is to be begun anew: that is done by whoever writes while nobody reads, and all of
//    it is in the file itself.
//
// While the thread writes, the reader is pinned: all that this process reads is as of the last transaction that it knows of.
import { bytesPerMove, commitsPerMove, logPagesMax } from '../../bounds.ts';
import { CommitThread, type WrittenLog } from './commit-thread.ts';
import { inOneStep, type SqlDatabase } from './database.ts';
import type { PinnedReader } from './pinned-reader.ts';
import type { RecordedWrites } from './recorded-writes.ts';
import type { TransactionWriter } from './transaction-writer.ts';

export type AlternatingWriterParts = {
  readonly recorded: RecordedWrites;
  readonly direct: SqlDatabase;
  readonly reader: PinnedReader;
  readonly file: string;
  /** Of the thread's connection, as PRAGMA takes them. */
  readonly settings: readonly string[];
};

/** The writer of a file that this process has to itself. */
export class AlternatingWriter implements TransactionWriter {
  readonly #parts: AlternatingWriterParts;
  #thread: CommitThread | undefined;
  #commits = 0;
  #bytes = 0;
  /** Its log is long, and can be begun anew. */
  #isLogDue = false;

  constructor(parts: AlternatingWriterParts) {
    this.#parts = parts;
  }

  async write(change: () => void, isFree: boolean): Promise<void> {
    const { recorded, reader, direct } = this.#parts;
    if (this.#isLogDue || isFree) {
      this.#isLogDue = false;
      inOneStep(direct, change);
      return;
    }
    const writes = recorded.record(change);
    const thread = this.#running();
    reader.hold();
    try {
      this.#bytes += (await thread.make(writes)).bytes;
    } finally {
      reader.letGo();
    }
    this.#commits += 1;
    if (this.#commits < commitsPerMove && this.#bytes < bytesPerMove) return;
    [this.#commits, this.#bytes] = [0, 0];
    // Whoever reads from here on sees all of it, and keeps none of it from being moved.
    thread.moveLog();
  }

  async close(): Promise<void> {
    await this.#thread?.close();
    this.#parts.reader.close();
  }

  /** One that ended is followed by another. */
  #running(): CommitThread {
    const { file, settings } = this.#parts;
    if (this.#thread?.isAlive !== true) this.#thread = new CommitThread(file, settings, (log) => this.#logMoved(log));
    return this.#thread;
  }

  #logMoved({ pages, isMoved }: WrittenLog): void {
    this.#isLogDue = isMoved && pages >= logPagesMax;
  }
}
