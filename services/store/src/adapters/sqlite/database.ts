// The one file that knows the driver.
//
// 1. A prepared statement of this driver keeps its old bindings when it is used in two ways (`get` after `all`), and
//    after an error: so a statement here has one way to be used, and is prepared at first use and after an error.
// 2. The driver takes no read-only option; a URI says it.
import { DomainError, dataLoss, unavailable } from '@stopgo/core';
import Database from 'libsql';
import { diskTexts } from '../../disk-condition.ts';

export type SqlValue = number | string | Uint8Array | null;
export type SqlRow = readonly SqlValue[];

/**
 * A connection to one SQLite file. Synchronous; used by one owner. A failure is a DomainError: `data_loss` for damage and
 * for rows that contradict others, else `unavailable`; its cause is the driver's error (see {@link sqlCode}).
 */
export type SqlDatabase = {
  exec(sql: string): void;
  /** A statement that changes rows. Gives the number of rows changed. */
  run(sql: string): (...parameters: readonly SqlValue[]) => number;
  /** A query for at most one row. */
  one<T>(sql: string, read: (row: SqlRow) => T): (...parameters: readonly SqlValue[]) => T | undefined;
  /** A query for all rows, which the SQL must bound. */
  all<T>(sql: string, read: (row: SqlRow) => T): (...parameters: readonly SqlValue[]) => T[];
  /**
   * A query for any number of rows, each of which is read when it is taken. Until the last one is, nothing may be written on this
   * connection: the driver would break the query off.
   */
  each<T>(sql: string, read: (row: SqlRow) => T): (...parameters: readonly SqlValue[]) => Iterable<T>;
  /**
   * What reads beside this connection: another one to the same file, so that a query shows the file as it was when the query began,
   * whatever is written meanwhile. It is closed with this one, if it is not closed before. Of one that only reads it is that one.
   */
  toRead(): SqlDatabase;
  inTransaction(): boolean;
  close(): void;
};

export type OpenMode =
  /** Creates the file if it is not there. */
  | 'write'
  /** Fails if the file is not there; writes nothing into it. */
  | 'read'
  /** As `read`, and for a file that nobody writes and that has no log beside it: leaves no trace at all. */
  | 'read-immutable';

type Prepared = {
  run(...parameters: unknown[]): { changes: number };
  get(...parameters: unknown[]): unknown;
  all(...parameters: unknown[]): unknown[];
  iterate(...parameters: unknown[]): Iterator<unknown>;
};

/** Makes all of a change, or nothing of it. */
export function inOneStep(database: SqlDatabase, change: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    change();
    database.exec('COMMIT');
  } catch (error) {
    // Some failures (a full disk) end the transaction by themselves.
    if (database.inTransaction()) database.exec('ROLLBACK');
    throw error;
  }
}

/** Opens a file. */
export function openDatabase(path: string, mode: OpenMode): SqlDatabase {
  const database = translated(() => new Database(mode === 'write' ? path : readUri(path, mode)));
  let open = true;
  const readers = new Set<SqlDatabase>();

  const prepared = (sql: string, raw: boolean): Prepared => {
    const fresh = database.prepare(sql);
    return raw ? fresh.raw() : fresh;
  };
  const statement = (sql: string, raw: boolean) => {
    let kept: Prepared | undefined;
    return <T>(use: (ready: Prepared) => T): T => {
      if (!open) throw closed();
      return translated(() => {
        const ready = kept ?? prepared(sql, raw);
        kept = undefined;
        const result = use(ready);
        kept = ready;
        return result;
      });
    };
  };

  const self: SqlDatabase = {
    exec: (sql) => {
      if (!open) throw closed();
      translated(() => void database.exec(sql));
    },
    run: (sql) => {
      const use = statement(sql, false);
      return (...parameters) => use((ready) => ready.run(parameters).changes);
    },
    one: (sql, read) => {
      const use = statement(sql, true);
      return (...parameters) => {
        const row = use((ready) => ready.get(parameters));
        return row === undefined ? undefined : read(row as SqlRow);
      };
    },
    all: (sql, read) => {
      const use = statement(sql, true);
      return (...parameters) => use((ready) => ready.all(parameters)).map((row) => read(row as SqlRow));
    },
    each: (sql, read) =>
      function* (...parameters) {
        if (!open) throw closed();
        const rows = translated(() => prepared(sql, true).iterate(parameters));
        for (;;) {
          if (!open) throw closed();
          const { done, value } = translated(() => rows.next());
          if (done) return;
          yield read(value as SqlRow);
        }
      },
    toRead: () => {
      // The file may have gone, and what was written since then is not to be seen either.
      if (mode !== 'write') return { ...self, close: () => undefined };
      const reader = openDatabase(path, 'read');
      readers.add(reader);
      const close = (): void => {
        readers.delete(reader);
        reader.close();
      };
      return { ...reader, close };
    },
    inTransaction: () => open && database.inTransaction,
    close: () => {
      for (const reader of readers) reader.close();
      if (open) database.close();
      open = false;
    },
  };
  return self;
}

const closed = (): DomainError => unavailable('the store is stopped; start it again');

function readUri(path: string, mode: 'read' | 'read-immutable'): string {
  const escaped = path.split('/').map(encodeURIComponent).join('/');
  return `file:${escaped}?mode=ro${mode === 'read-immutable' ? '&immutable=1' : ''}`;
}

/** An integer of a row. */
export function integer(row: SqlRow, index: number): number {
  const value = row[index];
  if (typeof value !== 'number') throw new TypeError(`column ${index} is no integer`);
  return value;
}

/** A text of a row. */
export function text(row: SqlRow, index: number): string {
  const value = row[index];
  if (typeof value !== 'string') throw new TypeError(`column ${index} is no text`);
  return value;
}

/** Bytes of a row, as a plain Uint8Array. */
export function bytes(row: SqlRow, index: number): Uint8Array {
  const value = row[index];
  if (!(value instanceof Uint8Array)) throw new TypeError(`column ${index} holds no bytes`);
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

/** The driver's code behind an error, for example `SQLITE_BUSY`; undefined if the driver has nothing to do with it. */
export function sqlCode(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** True if the failure is that of one statement's rows, not of the file. */
export function isContradiction(error: unknown): boolean {
  return sqlCode(error)?.startsWith('SQLITE_CONSTRAINT') === true;
}

/** True if the file (its disk, its locks) failed, and not what was to be read or written. */
export function isFailureOfFile(error: unknown): boolean {
  return sqlCode(error) !== undefined || (error instanceof DomainError && error.kind === 'unavailable');
}

function translated<T>(use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw failureOf(error);
  }
}

/** The failure that the driver told of in another thread: its error, whose code does not come along with it. */
export function driverFailure(message: string, code: string | undefined): unknown {
  return failureOf(code === undefined ? new Error(message) : Object.assign(new Error(message), { code }));
}

function failureOf(cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  if (code === undefined) return cause;
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return dataLoss(`the database file is damaged (${code}); restore it from a backup`, {}, { cause });
  if (code.startsWith('SQLITE_CONSTRAINT'))
    return dataLoss(`what is to be written contradicts what is stored (${code}); verify the stream`, {}, { cause });
  if (code === 'SQLITE_FULL')
    return unavailable(
      diskTexts.disk_full,
      { reason: 'disk_full', recorded: 'nothing' },
      { cause, retryAfterMs: 5_000 },
    );
  // With these the whole transaction may be in SQLite's log already, and the next start finds it there: after a sync that fails, and
  // where its index of that log cannot be made larger, which is done last.
  if (code === 'SQLITE_IOERR_SHMSIZE')
    return unavailable(diskTexts.disk_full, { reason: 'disk_full' }, { cause, retryAfterMs: 5_000 });
  if (/^SQLITE_(IOERR_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE|SHMOPEN|SHMMAP))/.test(code))
    return unavailable(`${diskTexts.disk_fails} (${code})`, { reason: 'disk_fails' }, { cause, retryAfterMs: 5_000 });
  return unavailable(`the database cannot be read or written now (${code})`, {}, { cause, retryAfterMs: 1_000 });
}
