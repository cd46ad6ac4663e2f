import type { SqlDatabase } from './database.ts';

/**
 * A connection that reads the file as it was when it was pinned, whatever others commit meanwhile. It pins itself when somebody reads.
 * While it is pinned, SQLite's log of the file is not begun anew.
 */
export class PinnedReader {
  readonly #database: SqlDatabase;
  #isHeld = false;

  /** `database`: a connection to read, which belongs to this from here on. */
  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** What reads through it. */
  get reads(): Pick<SqlDatabase, 'one' | 'all' | 'each'> {
    const { one, all, each } = this.#database;
    const pinned = <P extends readonly unknown[], T>(read: (...parameters: P) => T) => {
      return (...parameters: P): T => {
        this.#pin();
        return read(...parameters);
      };
    };
    return {
      one: (sql, read) => pinned(one(sql, read)),
      all: (sql, read) => pinned(all(sql, read)),
      each: (sql, read) => pinned(each(sql, read)),
    };
  }

  /** Until it is let go, commits that come now are not seen. */
  hold(): void {
    this.#pin();
    this.#isHeld = true;
  }

  /** Whoever reads next sees what is committed by then. */
  letGo(): void {
    this.#isHeld = false;
    this.refresh();
  }

  /** As {@link letGo}, unless it is held. */
  refresh(): void {
    // Some failures of a read end the transaction by themselves.
    if (!this.#isHeld && this.#database.inTransaction()) this.#database.exec('COMMIT');
  }

  close(): void {
    this.letGo();
    this.#database.close();
  }

  #pin(): void {
    if (this.#database.inTransaction()) return;
    try {
      // A transaction sees nothing yet: its first query does.
      this.#database.exec('BEGIN; SELECT 1 FROM sqlite_master LIMIT 1');
    } catch (error) {
      if (this.#database.inTransaction()) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}
