import { envelope, fromBinary } from '@stopgo/proto';
import { bytes, integer, type SqlDatabase, text } from './database.ts';

/** Positions, or numbers of streams, that one statement looks at. */
const atOnce = 10_000;

/**
 * What the tables of the log show of rows that are gone: positions without an event, names of streams without events, events or
 * appends whose stream has no name. Nothing that stands in a row of its own stream only: that the verification of the stream sees.
 */
export async function* lostRows(database: SqlDatabase, signal: AbortSignal): AsyncGenerator<string, void> {
  const sql = statements(database);
  yield* lostPositions(sql, signal);
  const lastStream = sql.lastStream() ?? 0;
  for (let after = 0; after < lastStream; after += atOnce) {
    signal.throwIfAborted();
    for (const name of sql.withoutEvents(after, after + atOnce))
      yield `${name}: it is in the list of streams, and all of its events are gone from the log`;
    await others();
  }
  const nameless = new Set<number>();
  for (const { id, position } of sql.eventsWithoutName()) {
    nameless.add(id);
    const event = sql.event(position);
    yield `${namedIn(event) ?? `stream number ${id}`}: it has events, the first at position ${position}, and is gone from the list of streams`;
  }
  for (const id of sql.appendsWithoutName())
    if (!nameless.has(id)) yield `stream number ${id}: it has idempotency keys, and its events and its name are gone`;
}

async function* lostPositions(sql: Statements, signal: AbortSignal): AsyncGenerator<string, void> {
  const end = sql.lastPosition() ?? 0;
  // All positions before this one are there, or told.
  let next = 1;
  for (let after = 0; after < end; after += atOnce) {
    signal.throwIfAborted();
    const upTo = Math.min(after + atOnce, end);
    if (next === after + 1 && sql.count(after, upTo) === upTo - after) next = upTo + 1;
    else
      for (const position of sql.positions(after, upTo)) {
        if (position > next) yield lostRange(next, position - 1);
        next = position + 1;
      }
    await others();
  }
}

/** A long log must not hold up everybody else. */
const others = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function lostRange(from: number, to: number): string {
  return from === to
    ? `position ${from} of the log is missing: an event was removed`
    : `positions ${from} to ${to} of the log are missing: ${to - from + 1} events were removed`;
}

/** The stream that an event says to be of; undefined if it cannot be read. */
function namedIn(stored: Uint8Array | undefined): string | undefined {
  try {
    return stored && (fromBinary(envelope.EnvelopeSchema, stored).stream || undefined);
  } catch {
    return undefined;
  }
}

type Statements = ReturnType<typeof statements>;

function statements(database: SqlDatabase) {
  /** The numbers of streams in a table, each found by one step into its index; all of them in one statement. */
  const numbers = (table: string) => `WITH RECURSIVE numbers (id) AS (
      SELECT min(stream) FROM ${table}
      UNION ALL SELECT (SELECT min(stream) FROM ${table} WHERE stream > id) FROM numbers WHERE id IS NOT NULL
    )`;
  const nameless = 'id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM streams WHERE streams.id = numbers.id)';
  return {
    lastPosition: database.one('SELECT ifnull(max(position), 0) FROM events', (row) => integer(row, 0)),
    count: database.one('SELECT count(*) FROM events WHERE position > ? AND position <= ?', (row) => integer(row, 0)),
    positions: database.all(
      'SELECT position FROM events WHERE position > ? AND position <= ? ORDER BY position',
      (row) => integer(row, 0),
    ),
    event: database.one('SELECT envelope FROM events WHERE position = ?', (row) => bytes(row, 0)),
    lastStream: database.one('SELECT ifnull(max(id), 0) FROM streams', (row) => integer(row, 0)),
    withoutEvents: database.all(
      `SELECT name FROM streams WHERE id > ? AND id <= ? AND NOT EXISTS (SELECT 1 FROM events WHERE stream = id)
         ORDER BY id`,
      (row) => text(row, 0),
    ),
    eventsWithoutName: database.all(
      `${numbers('events')} SELECT id, (SELECT position FROM events WHERE stream = id ORDER BY revision LIMIT 1)
         FROM numbers WHERE ${nameless} LIMIT 100`,
      (row) => ({ id: integer(row, 0), position: integer(row, 1) }),
    ),
    appendsWithoutName: database.all(
      `${numbers('appends')} SELECT id FROM numbers WHERE ${nameless} LIMIT 100`,
      (row) => integer(row, 0),
    ),
  };
}
