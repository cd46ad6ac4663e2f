// One transaction on a replica's file takes in many appends, one group after the other.
//
// 1. Whoever reads through the same connection sees at once what was written; on disk it is a little later. Nothing is lost
//    if the process dies in between: the log has all of it, and the file says up to where it goes.
// 2. A page that many appends change, the index of words above all, is written once.
import { unavailable } from '@stopgo/core';
import { appendsPerCommitMax, bytesPerCommitMax, uncommittedMsMax } from '../../bounds.ts';
import type { Projection } from '../../views.ts';
import type { SqlDatabase } from '../sqlite/database.ts';
import type { StreamIndex } from './index-tables.ts';
import type { Plan } from './plan.ts';

export type OpenTransactionParts = {
  readonly database: SqlDatabase;
  readonly index: StreamIndex;
  readonly projection: Projection;
  /** Is called once the transaction has been open for `uncommittedMsMax`. */
  readonly due: () => void;
};

/** What a transaction has taken in. */
export type Written = { readonly appends: number; readonly events: number };

export class OpenTransaction {
  readonly #parts: OpenTransactionParts;
  #isOpen = false;
  #appends = 0;
  #events = 0;
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: OpenTransactionParts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** True if it holds as much as one commit may. */
  get isFull(): boolean {
    return this.#appends >= appendsPerCommitMax || this.#bytes >= bytesPerCommitMax;
  }

  /** Writes what a plan makes; begins if need be. After any failure it must be taken back. */
  write({ appends, unreadable, endHash, views }: Plan): void {
    const { index, database, due } = this.#parts;
    if (!this.#isOpen) {
      database.exec('BEGIN IMMEDIATE');
      this.#isOpen = true;
      this.#timer = setTimeout(due, uncommittedMsMax).unref();
    } else this.#assertThere();
    index.write(appends, unreadable, endHash);
    views.write();
    for (const { events, bytes } of appends) {
      this.#events += events.length;
      this.#bytes += bytes;
    }
    this.#appends += appends.length;
  }

  /**
   * Ends it with the position up to which the views show the log; gives what it took in. After any failure it must be taken
   * back.
   */
  commit(position: number): Written {
    const { index, projection, database } = this.#parts;
    this.#assertThere();
    index.writeEnd();
    projection.moveTo(position);
    database.exec('COMMIT');
    const written = { appends: this.#appends, events: this.#events };
    this.#ended();
    return written;
  }

  /** Takes back what it wrote, if anything, and forgets what was kept in memory of it. */
  takeBack(): void {
    const { index, projection, database } = this.#parts;
    this.#ended();
    projection.forget();
    index.forget();
    if (database.inTransaction()) database.exec('ROLLBACK');
  }

  /**
   * Some failures (a disk that cannot be read, also of a mere reader) end the transaction by themselves. What is written after
   * that is on disk at once, and must not say that the views show what they have lost.
   */
  #assertThere(): void {
    if (!this.#parts.database.inTransaction()) throw unavailable('the views lost what was not on disk yet');
  }

  #ended(): void {
    clearTimeout(this.#timer);
    this.#isOpen = false;
    [this.#appends, this.#events, this.#bytes] = [0, 0, 0];
  }
}
