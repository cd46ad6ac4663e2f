import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AlternatingWriter } from '../src/adapters/sqlite/alternating-writer.ts';
import { integer, openDatabase, type SqlDatabase } from '../src/adapters/sqlite/database.ts';
import { PinnedReader } from '../src/adapters/sqlite/pinned-reader.ts';
import { RecordedWrites } from '../src/adapters/sqlite/recorded-writes.ts';
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

test('a writer holds the reader before the thread begins, though nobody has read anything', async () => {
  const writer = new AlternatingWriter({ recorded, direct, reader, file, settings: [] });
  const insert = inserting(recorded.database);
  const [count, beside] = [counting(recorded.database), counting(openDatabase(file, 'read'))];
  const written = writer.write(() => insert(1), false);
  // Nothing is heard of the thread meanwhile.
  while (beside() === 0);
  expect(count()).toBe(0);
  await written;
  expect(count()).toBe(1);
  await writer.write(() => insert(2), true);
  expect(count()).toBe(2);
  await writer.close();
});
