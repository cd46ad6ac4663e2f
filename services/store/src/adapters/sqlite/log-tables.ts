import type { StreamName } from '@stopgo/core';
import { create, envelope } from '@stopgo/proto';
import { pageBytesMax } from '../../bounds.ts';
import type { KnownKey, LoggedEvent, RecordedEvent, StreamEvent } from '../../event-log.ts';
import { bytes, integer, type SqlDatabase, type SqlRow, text } from './database.ts';
import { lastThatFits, toSize } from './page-size.ts';

/**
 * The tables of the log. A stream's head is its last event: there is nothing beside it that could say otherwise. Every
 * row is written once. `seal` is null for appends of older releases; in a file that only they have opened, the column is missing.
 */
export const logSchema = `
  CREATE TABLE IF NOT EXISTS streams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    envelope BLOB NOT NULL,
    hash BLOB NOT NULL,
    UNIQUE (stream, revision)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS appends (
    stream INTEGER NOT NULL,
    key TEXT NOT NULL,
    first_revision INTEGER NOT NULL,
    last_revision INTEGER NOT NULL,
    request_digest TEXT NOT NULL,
    seal BLOB,
    PRIMARY KEY (stream, key)
  ) STRICT, WITHOUT ROWID;
`;

/** Adds the column of the seals to a file of an older release, which can still open it after that. */
export const addSeals = 'ALTER TABLE appends ADD COLUMN seal BLOB';

/** True if the file has the column of the seals. */
export function hasSeals(database: SqlDatabase): boolean {
  return oneInteger(database, "SELECT count(*) FROM pragma_table_info('appends') WHERE name = 'seal'") > 0;
}

/** An append with its seal, and the hash of its last event if that is there. */
export type SealedAppend = {
  readonly append: KnownKey;
  readonly seal: Uint8Array;
  readonly lastHash: Uint8Array | undefined;
};

/** The end of a stream as its rows have it. */
export type HeadRow = { readonly id: number; readonly revision: number; readonly hash: Uint8Array };

/** The statements on the tables of the log. */
export type LogTables = ReturnType<typeof logTables>;

export function logTables(database: SqlDatabase) {
  const keyColumns = 'key, request_digest, first_revision, last_revision';
  const sizesOfStream = database.all(
    'SELECT revision, length(envelope) FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ?',
    toSize,
  );
  const rowsOfStream = database.all(
    'SELECT revision, position, envelope, hash FROM events WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision',
    (row): StreamEvent => ({ revision: integer(row, 0), event: toEvent(row, 1) }),
  );
  const sizesOfLog = database.all(
    'SELECT position, length(envelope) FROM events WHERE position > ? ORDER BY position LIMIT ?',
    toSize,
  );
  const rowsOfLog = database.all(
    `SELECT revision, position, envelope, hash, (SELECT name FROM streams WHERE id = stream)
       FROM events WHERE position > ? AND position <= ? ORDER BY position`,
    (row): LoggedEvent => ({
      revision: integer(row, 0),
      event: toEvent(row, 1),
      stream: text(row, 4) as StreamName,
    }),
  );

  return {
    head: database.one(
      `SELECT events.stream, events.revision, events.hash FROM events
         WHERE events.stream = (SELECT id FROM streams WHERE name = ?) ORDER BY events.revision DESC LIMIT 1`,
      (row): HeadRow => ({ id: integer(row, 0), revision: integer(row, 1), hash: bytes(row, 2) }),
    ),
    streamId: database.one('SELECT id FROM streams WHERE name = ?', (row) => integer(row, 0)),
    lastStreamId: () => oneInteger(database, 'SELECT ifnull(max(id), 0) FROM streams'),
    lastPosition: () => oneInteger(database, 'SELECT ifnull(max(position), 0) FROM events'),
    positionOf: database.one('SELECT position FROM events WHERE stream = ? AND revision = ?', (row) => integer(row, 0)),
    key: database.one(`SELECT ${keyColumns} FROM appends WHERE stream = ? AND key = ?`, toKey),
    keysAfter: database.all(
      `SELECT ${keyColumns} FROM appends WHERE stream = ? AND key > ? ORDER BY key LIMIT ?`,
      toKey,
    ),
    hasSeals: () => hasSeals(database),
    sealedAfter: database.all(
      `SELECT ${keyColumns}, seal, (SELECT hash FROM events WHERE events.stream = appends.stream AND revision = last_revision)
         FROM appends WHERE stream = ? AND key > ? AND seal IS NOT NULL ORDER BY key LIMIT ?`,
      (row): SealedAppend => ({
        append: toKey(row),
        seal: bytes(row, 4),
        lastHash: row[5] === null ? undefined : bytes(row, 5),
      }),
    ),
    streamNames: database.all(
      'SELECT name FROM streams WHERE name >= ? AND name < ? AND name > ? ORDER BY name LIMIT ?',
      (row) => text(row, 0),
    ),

    insertStream: database.run('INSERT INTO streams (id, name) VALUES (?, ?)'),
    insertEvent: database.run('INSERT INTO events (position, stream, revision, envelope, hash) VALUES (?, ?, ?, ?, ?)'),
    insertAppend: database.run(
      'INSERT INTO appends (stream, key, first_revision, last_revision, request_digest, seal) VALUES (?, ?, ?, ?, ?, ?)',
    ),

    /** Events of one stream: at most `limit`, and about `bytesMax`, but at least one if there is one. */
    streamPage(stream: number, from: number, limit: number, bytesMax = pageBytesMax): StreamEvent[] {
      const last = lastThatFits(sizesOfStream(stream, from, limit), bytesMax);
      return last === undefined ? [] : rowsOfStream(stream, from, last);
    },
    /** The same of the whole log. */
    logPage(after: number, limit: number, bytesMax = pageBytesMax): LoggedEvent[] {
      const last = lastThatFits(sizesOfLog(after, limit), bytesMax);
      return last === undefined ? [] : rowsOfLog(after, last);
    },
  };
}

function oneInteger(database: SqlDatabase, sql: string): number {
  return database.one(sql, (row) => integer(row, 0))() ?? 0;
}

function toEvent(row: SqlRow, from: number): RecordedEvent {
  const event = create(envelope.RecordedSchema);
  event.position = BigInt(integer(row, from));
  event.envelope = bytes(row, from + 1);
  event.hash = bytes(row, from + 2);
  return event;
}

function toKey(row: SqlRow): KnownKey {
  return {
    key: text(row, 0),
    requestDigest: text(row, 1),
    firstRevision: integer(row, 2),
    lastRevision: integer(row, 3),
  };
}
