import type { SqlDatabase, SqlValue } from './database.ts';
import type { PinnedReader } from './pinned-reader.ts';

/** One statement that changes rows, and its values. */
export type RecordedWrite = { readonly sql: string; readonly values: readonly SqlValue[] };

/**
 * A connection whose changes can be recorded, so that another connection makes them. Outside of a recording, and for all else, it is
 * `direct`; but what is read outside of a transaction is read by `reader`.
 */
export class RecordedWrites {
  readonly database: SqlDatabase;
  #recording: RecordedWrite[] | undefined;

  constructor(direct: SqlDatabase, reader: PinnedReader) {
    const { reads } = reader;
    const place = <F extends (...parameters: readonly SqlValue[]) => unknown>(inside: F, outside: F): F =>
      ((...parameters) => (direct.inTransaction() ? inside : outside)(...parameters)) as F;
    this.database = {
      ...direct,
      exec: (sql) => {
        reader.refresh();
        direct.exec(sql);
      },
      run: (sql) => {
        const atOnce = direct.run(sql);
        return (...values) => {
          if (this.#recording === undefined) {
            reader.refresh();
            return atOnce(...values);
          }
          this.#recording.push({ sql, values });
          return 1;
        };
      },
      one: (sql, read) => place(direct.one(sql, read), reads.one(sql, read)),
      all: (sql, read) => place(direct.all(sql, read), reads.all(sql, read)),
      each: (sql, read) => place(direct.each(sql, read), reads.each(sql, read)),
      inTransaction: () => this.#recording !== undefined || direct.inTransaction(),
    };
  }

  /** What `change` writes, in order; none of it is made. */
  record(change: () => void): readonly RecordedWrite[] {
    const writes: RecordedWrite[] = [];
    this.#recording = writes;
    try {
      change();
    } finally {
      this.#recording = undefined;
    }
    return writes;
  }
}
