import { type DomainError, unavailable } from '@stopgo/core';
import type { SqlDatabase, SqlValue } from '../sqlite/database.ts';

/** Writes a row, new or in place of an earlier one. */
type Write = (...values: readonly SqlValue[]) => unknown;

/**
 * Rows of conversations that are written when somebody asks for them, or at the end of their transaction. A conversation
 * changes several times in one, and each time many indexes with it.
 */
export class LateRows {
  readonly #inTransaction: () => boolean;
  readonly #write: Write;
  #failed: (error: unknown) => unknown = (error) => error;
  /** By the id of the conversation, in the order of their first change. */
  readonly #rows = new Map<string, readonly SqlValue[]>();

  constructor({ inTransaction }: Pick<SqlDatabase, 'inTransaction'>, write: Write) {
    this.#inTransaction = inTransaction;
    this.#write = write;
  }

  /** Whoever is set here is told why a row could not be written, which may have ended the transaction, and gives what is thrown. */
  onFailure(failed: (error: unknown) => unknown): void {
    this.#failed = failed;
  }

  /** Keeps a row, in place of an earlier one of the conversation. To be called inside a transaction. */
  put(id: string, values: readonly SqlValue[]): void {
    this.#rows.set(id, values);
  }

  /** Writes all that is kept. Throws `unavailable` if the transaction that it belongs to is gone. */
  write(): void {
    for (const id of [...this.#rows.keys()]) this.writeOne(id);
  }

  /** The same for one conversation. */
  writeOne(id: string): void {
    const values = this.#rows.get(id);
    if (values === undefined) return;
    try {
      // Some failures end a transaction by themselves. A row that is written after that would be ahead of the checkpoint.
      if (!this.#inTransaction()) throw lostRows();
      this.#write(...values);
    } catch (error) {
      throw this.#failed(error);
    }
    this.#rows.delete(id);
  }

  /** Drops what is kept: its transaction came to nothing. */
  forget(): void {
    this.#rows.clear();
  }
}

/** What is thrown at somebody who only wants to read, and may do so again. */
export const lostRows = (cause?: unknown): DomainError =>
  unavailable('the views lost what was not on disk yet; try again', {}, { cause, retryAfterMs: 1_000 });
