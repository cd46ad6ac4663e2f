import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { unavailable } from '@stopgo/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AlternatingWriter, type AlternatingWriterParts } from '../src/adapters/sqlite/alternating-writer.ts';
import { integer, openDatabase, type SqlDatabase } from '../src/adapters/sqlite/database.ts';
import { PinnedReader } from '../src/adapters/sqlite/pinned-reader.ts';
import { placeOf } from '../src/adapters/sqlite/place-of-file.ts';
import { RecordedWrites } from '../src/adapters/sqlite/recorded-writes.ts';
import { commitThreadsMax } from '../src/bounds.ts';
import { keepingLog } from './log-lines.ts';
import { freshDirectory } from './sqlite-log.ts';

let folder: string;
let file: string;
let direct: SqlDatabase;
let reader: PinnedReader;
let recorded: RecordedWrites;

beforeEach(() => {
  folder = freshDirectory();
  file = join(folder, 'some.db');
  direct = openDatabase(file, 'write');
  direct.exec('PRAGMA journal_mode = WAL; CREATE TABLE some (id INTEGER PRIMARY KEY) STRICT');
  reader = new PinnedReader(direct.toRead());
  recorded = new RecordedWrites(direct, reader);
});
afterEach(() => {
  direct.close();
  rmSync(folder, { recursive: true });
});

const inserting = ({ run }: SqlDatabase) => run('INSERT INTO some VALUES (?)');
const counting = ({ one }: Pick<SqlDatabase, 'one'>) => one('SELECT count(*) FROM some', (row) => integer(row, 0));

test('what is held sees nothing of later commits until it is let go, whatever is written beside', () => {
  const count = counting(reader.reads);
  reader.hold();
  inserting(direct)(1);
  reader.refresh();
  expect(count()).toBe(0);
  inserting(recorded.database)(2);
  expect(count()).toBe(0);
  reader.letGo();
  expect(count()).toBe(2);
  reader.close();
});

test('what is only pinned sees what the same process writes at once', () => {
  const count = counting(recorded.database);
  expect(count()).toBe(0);
  inserting(recorded.database)(1);
  expect(count()).toBe(1);
  recorded.database.exec('INSERT INTO some VALUES (2)');
  expect(count()).toBe(2);
  reader.close();
});

test('inside a transaction its own rows are seen, outside none of it', () => {
  const count = counting(recorded.database);
  recorded.database.exec('BEGIN IMMEDIATE');
  inserting(recorded.database)(1);
  expect(count()).toBe(1);
  recorded.database.exec('ROLLBACK');
  expect(count()).toBe(0);
  reader.close();
});

test('a recording makes nothing, and gives all in order', () => {
  const insert = inserting(recorded.database);
  const writes = recorded.record(() => {
    insert(2);
    expect(recorded.database.inTransaction()).toBe(true);
    insert(1);
  });
  expect(writes.map(({ values }) => values)).toEqual([[2], [1]]);
  expect([counting(recorded.database)(), recorded.database.inTransaction()]).toEqual([0, false]);
  expect(() =>
    recorded.record(() => {
      throw new Error('a defect');
    }),
  ).toThrow('a defect');
  insert(3);
  expect(counting(recorded.database)()).toBe(1);
  reader.close();
});

let kept: ReturnType<typeof keepingLog>;
const parts = () => {
  kept = keepingLog();
  return { recorded, direct, reader, file, place: placeOf(file), settings: [], log: kept.log };
};
const nothing = () => undefined;

test('a writer holds the reader before the thread begins, though nobody has read anything', async () => {
  const writer = new AlternatingWriter(parts());
  const insert = inserting(recorded.database);
  const [count, beside] = [counting(recorded.database), counting(openDatabase(file, 'read'))];
  const written = writer.write(() => insert(1), nothing, false);
  // Nothing is heard of the thread meanwhile.
  while (beside() === 0);
  expect(count()).toBe(0);
  await written;
  expect(count()).toBe(1);
  let seen: number | undefined;
  await writer.write(
    () => insert(2),
    () => {
      seen = beside();
    },
    true,
  );
  expect([seen, count()]).toEqual([2, 2]);
  await writer.close();
});

/** A thread that dies in the midst of its first transaction. */
function dying(threads: { started: number }): NonNullable<AlternatingWriterParts['startThread']> {
  return () => {
    threads.started += 1;
    let ended: Error | undefined;
    return {
      get isAlive() {
        return ended === undefined;
      },
      get ended() {
        return ended;
      },
      make: async () => {
        ended = new Error(`number ${threads.started} had no memory left`);
        throw unavailable('it ended');
      },
      moveLog: async () => ({ pages: 0, isMoved: false }),
      close: async () => undefined,
    };
  };
}

test('a thread that dies in the midst fails its transaction alone; after a few, all is written without one', async () => {
  const threads = { started: 0 };
  const writer = new AlternatingWriter({ ...parts(), startThread: dying(threads) });
  const insert = inserting(recorded.database);
  const made: number[] = [];
  for (let count = 1; count <= commitThreadsMax + 2; count += 1)
    await writer
      .write(
        () => insert(count),
        () => made.push(count),
        false,
      )
      .catch((error: unknown) => {
        expect(error).toMatchObject({ kind: 'unavailable' });
      });
  expect([threads.started, made]).toEqual([commitThreadsMax, [commitThreadsMax + 1, commitThreadsMax + 2]]);
  expect(counting(recorded.database)()).toBe(2);
  expect(kept.lines).toEqual([
    expect.stringMatching(`^warn: no more threads are tried .*"threads":${commitThreadsMax}`),
  ]);
  expect(kept.fields).toEqual([{ threads: commitThreadsMax, error: new Error('number 3 had no memory left') }]);
  await writer.close();
});

test('where no thread can be had, all is written without one, and a line of the log says why', async () => {
  const cause = new Error('no threads here');
  const startThread = () => {
    throw cause;
  };
  const writer = new AlternatingWriter({ ...parts(), startThread });
  const insert = inserting(recorded.database);
  const write = (id: number) => writer.write(() => insert(id), nothing, false);
  await write(1);
  expect([kept.lines.length, kept.fields]).toEqual([1, [{ error: cause }]]);
  expect(kept.lines[0]).toMatch(/^warn: no thread can be had to write the event log; /);
  for (let id = 2; id <= commitThreadsMax + 2; id += 1) await write(id);
  expect(counting(recorded.database)()).toBe(commitThreadsMax + 2);
  // Once more, that it is not tried any more.
  expect(kept.fields).toEqual([{ error: cause }, { threads: commitThreadsMax, error: cause }]);
  await writer.close();
});

test('a reader whose transaction a failure has ended pins itself anew, and letting go of it is no failure', () => {
  const raw = openDatabase(file, 'read');
  const failing = new PinnedReader(raw);
  const count = counting(failing.reads);
  failing.hold();
  raw.exec('ROLLBACK');
  expect(() => failing.letGo()).not.toThrow();
  inserting(direct)(1);
  expect(count()).toBe(1);
  failing.close();
  reader.close();
  expect(() => count()).toThrow(expect.objectContaining({ kind: 'unavailable' }));
});
