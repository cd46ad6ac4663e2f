import type { StreamName } from '@stopgo/core';
import { hotHeadsMax } from '../../bounds.ts';
import type { KnownKey } from '../../event-log.ts';
import { LruMap } from '../../lru-map.ts';
import { bytes, integer, type SqlDatabase, type SqlRow, text } from '../sqlite/database.ts';
import type { LoggedAppend } from './batch-message.ts';

/**
 * Where the appends of each stream are in the log, beside the views and changed with them. A stream's head is its last
 * append: there is nothing beside it that could say otherwise. A stream without an append has only messages that cannot
 * be read.
 */
export const indexTables = `
  CREATE TABLE streams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE appends (
    stream INTEGER NOT NULL,
    first_revision INTEGER NOT NULL,
    last_revision INTEGER NOT NULL,
    key TEXT NOT NULL,
    request_digest TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (stream, first_revision)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX appends_by_key ON appends (stream, key);
  CREATE TABLE log_end (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    hash BLOB NOT NULL
  ) STRICT;
`;

export const indexNames = ['streams', 'appends', 'log_end'];

/** The last append of a stream. */
export type IndexedHead = {
  readonly id: number;
  readonly revision: number;
  /** Of its message. */
  readonly sequence: number;
  readonly hash: Uint8Array;
};

/** Where an append is. */
export type Place = {
  readonly sequence: number;
  readonly firstRevision: number;
  readonly lastRevision: number;
  readonly bytes: number;
};

/** An append by its key. */
export type IndexedKey = KnownKey & {
  readonly sequence: number;
  /** Of its last event. */
  readonly hash: Uint8Array;
};

/** Ends the names that start with a prefix: higher than any character of a stream name. */
const afterAnyName = '\u007f';

/** The index in one file. Its caller moves it in transactions, and says so afterwards. */
export class StreamIndex {
  readonly #tables: ReturnType<typeof statements>;
  readonly #heads = new LruMap<StreamName, IndexedHead>({ entriesMax: hotHeadsMax });
  #lastId: number | undefined;
  /** Undefined until it is needed: the tables may be made only after this. */
  #endHash: Uint8Array | undefined;

  constructor(database: SqlDatabase) {
    this.#tables = statements(database);
  }

  /** Undefined if there is no such stream. */
  head(stream: StreamName): IndexedHead | undefined {
    const hot = this.#heads.get(stream);
    if (hot !== undefined) return hot;
    const head = this.#tables.head(stream);
    if (head !== undefined) this.#heads.set(stream, head);
    return head;
  }

  key(stream: StreamName, key: string): IndexedKey | undefined {
    const head = this.head(stream);
    return head === undefined ? undefined : this.#tables.key(head.id, key);
  }

  keysAfter(stream: StreamName, after: string, limit: number): KnownKey[] {
    const head = this.head(stream);
    return head === undefined ? [] : this.#tables.keysAfter(head.id, after, limit).map(toKnownKey);
  }

  /** The appends that hold the events from a revision on. */
  places(stream: StreamName, fromRevision: number, limit: number): Place[] {
    const head = this.head(stream);
    if (head === undefined || head.revision < fromRevision) return [];
    return this.#tables.places(head.id, head.id, fromRevision, limit);
  }

  /** Hash of the last message that was taken in; empty if there is none, or it could not be read. */
  get endHash(): Uint8Array {
    this.#endHash ??= this.#tables.endHash() ?? new Uint8Array();
    return this.#endHash;
  }

  names(prefix: string, after: string, limit: number): string[] {
    return this.#tables.names(prefix, prefix + afterAnyName, after, limit);
  }

  /**
   * Writes appends in order, inside the caller's transaction, which `writeEnd` must end; if it comes to nothing, this must
   * forget. `endHash` is that of the last message, empty if it cannot be read.
   */
  write(appends: readonly LoggedAppend[], unreadable: readonly string[], endHash: Uint8Array): void {
    const ids = new Map<string, number>();
    for (const append of appends) {
      const id = this.#idOf(append.stream, ids);
      const { firstRevision, lastRevision, key, requestDigest, sequence, hash } = append;
      this.#tables.insert(id, firstRevision, lastRevision, key, requestDigest, sequence, append.bytes, hash);
      this.#heads.set(append.stream, { id, revision: lastRevision, sequence, hash });
    }
    for (const name of unreadable) this.#idOf(name, ids);
    this.#endHash = endHash;
  }

  /** Writes the end of the log as it was taken in last. */
  writeEnd(): void {
    this.#tables.end(this.endHash);
  }

  /** Trusts nothing that is kept in memory: after a transaction that did not end well. */
  forget(): void {
    this.#heads.clear();
    this.#lastId = undefined;
    this.#endHash = undefined;
  }

  #idOf(name: string, fresh: Map<string, number>): number {
    const known = fresh.get(name) ?? this.#heads.get(name as StreamName)?.id ?? this.#tables.id(name);
    if (known !== undefined) return known;
    this.#lastId ??= this.#tables.lastId() ?? 0;
    const id = ++this.#lastId;
    this.#tables.insertStream(id, name);
    fresh.set(name, id);
    return id;
  }
}

function statements(database: SqlDatabase) {
  const keyColumns = 'key, request_digest, first_revision, last_revision, sequence, hash';
  return {
    head: database.one(
      `SELECT stream, last_revision, sequence, hash FROM appends
         WHERE stream = (SELECT id FROM streams WHERE name = ?) ORDER BY first_revision DESC LIMIT 1`,
      (row): IndexedHead => ({
        id: integer(row, 0),
        revision: integer(row, 1),
        sequence: integer(row, 2),
        hash: bytes(row, 3),
      }),
    ),
    key: database.one(`SELECT ${keyColumns} FROM appends WHERE stream = ? AND key = ?`, toKey),
    keysAfter: database.all(
      `SELECT ${keyColumns} FROM appends WHERE stream = ? AND key > ? ORDER BY key LIMIT ?`,
      toKey,
    ),
    places: database.all(
      `SELECT sequence, first_revision, last_revision, bytes FROM appends WHERE stream = ? AND first_revision >=
         (SELECT max(first_revision) FROM appends WHERE stream = ? AND first_revision <= ?)
         ORDER BY first_revision LIMIT ?`,
      (row): Place => ({
        sequence: integer(row, 0),
        firstRevision: integer(row, 1),
        lastRevision: integer(row, 2),
        bytes: integer(row, 3),
      }),
    ),
    names: database.all(
      'SELECT name FROM streams WHERE name >= ? AND name < ? AND name > ? ORDER BY name LIMIT ?',
      (row) => text(row, 0),
    ),
    id: database.one('SELECT id FROM streams WHERE name = ?', (row) => integer(row, 0)),
    lastId: database.one('SELECT ifnull(max(id), 0) FROM streams', (row) => integer(row, 0)),
    insertStream: database.run('INSERT INTO streams (id, name) VALUES (?, ?)'),
    endHash: database.one('SELECT hash FROM log_end', (row) => bytes(row, 0)),
    end: database.run(
      'INSERT INTO log_end (only, hash) VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET hash = excluded.hash',
    ),
    insert: database.run(
      `INSERT INTO appends (stream, first_revision, last_revision, key, request_digest, sequence, bytes, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}

function toKey(row: SqlRow): IndexedKey {
  return {
    key: text(row, 0),
    requestDigest: text(row, 1),
    firstRevision: integer(row, 2),
    lastRevision: integer(row, 3),
    sequence: integer(row, 4),
    hash: bytes(row, 5),
  };
}

/** What the log says of a key, and nothing else. */
export function toKnownKey({ key, requestDigest, firstRevision, lastRevision }: KnownKey): KnownKey {
  return { key, requestDigest, firstRevision, lastRevision };
}
