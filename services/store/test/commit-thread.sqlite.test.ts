import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseStreamName } from '@stopgo/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CommitThread } from '../src/adapters/sqlite/commit-thread.ts';
import { integer, openDatabase } from '../src/adapters/sqlite/database.ts';
import { placeOf } from '../src/adapters/sqlite/place-of-file.ts';
import { bytesPerCommitMax, commitsPerMove, logPagesMax } from '../src/bounds.ts';
import { byThread, freshDirectory, openParts } from './sqlite-log.ts';
import { Story } from './story.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = freshDirectory();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const openByThread = () => openParts(dataDir, undefined, undefined, undefined, byThread);
const appendOf = (append: ReturnType<Story['created']>) => ({
  ...append,
  stream: parseStreamName(append.stream),
  requestDigest: '',
});

describe('the thread', () => {
  const file = () => join(dataDir, 'some.db');
  const insert = (...values: readonly (string | number | null | Uint8Array)[]) => ({
    sql: 'INSERT INTO some VALUES (?, ?, ?)',
    values,
  });

  test('writes every kind of value as it was given, also bytes that are part of others', async () => {
    const database = openDatabase(file(), 'write');
    database.exec(
      'PRAGMA journal_mode = WAL; CREATE TABLE some (id INTEGER PRIMARY KEY, text TEXT, bytes BLOB) STRICT',
    );
    const thread = new CommitThread(file(), placeOf(file()), ['synchronous = FULL']);
    const whole = Uint8Array.from({ length: 16 }, (_, index) => index);
    await thread.make([insert(1, 'ä🙂', whole.subarray(3, 6)), insert(2, '', new Uint8Array(0))]);
    await thread.make([insert(3, null, null), insert(4, 'x', whole)]);
    await thread.close();
    const rows = database.all('SELECT id, text, quote(bytes) FROM some ORDER BY id', (row) => row)();
    expect(rows).toEqual([
      [1, 'ä🙂', "X'030405'"],
      [2, '', "X''"],
      [3, null, 'NULL'],
      [4, 'x', `X'${Buffer.from(whole).toString('hex').toUpperCase()}'`],
    ]);
    database.close();
  });

  test('makes nothing of a transaction that fails, says why as the connection would, and goes on', async () => {
    const database = openDatabase(file(), 'write');
    database.exec(
      'PRAGMA journal_mode = WAL; CREATE TABLE some (id INTEGER PRIMARY KEY, text TEXT, bytes BLOB) STRICT',
    );
    const thread = new CommitThread(file(), placeOf(file()), []);
    await expect(thread.make([insert(1, 'a', null), insert(1, 'b', null)])).rejects.toMatchObject({
      kind: 'data_loss',
      cause: { code: expect.stringMatching(/^SQLITE_CONSTRAINT/) },
    });
    await thread.make([insert(1, 'c', null)]);
    await thread.close();
    expect(database.all('SELECT text FROM some', (row) => row[0])()).toEqual(['c']);
    database.close();
  });

  test('that cannot open its file fails what it is given, and is not alive', async () => {
    const thread = new CommitThread(join(dataDir, 'no such folder', 'some.db'), placeOf(dataDir), []);
    await expect(thread.make([insert(1, 'a', null)])).rejects.toMatchObject({ kind: 'unavailable' });
    expect(thread.isAlive).toBe(false);
    await expect(thread.make([insert(1, 'a', null)])).rejects.toMatchObject({ kind: 'unavailable' });
    await thread.close();
  });

  test('writes no file that stands in the place of its own', async () => {
    openDatabase(file(), 'write').close();
    const place = placeOf(file());
    renameSync(file(), join(dataDir, 'elsewhere.db'));
    const empty = new CommitThread(file(), place, []);
    await expect(empty.make([insert(1, 'a', null)])).rejects.toMatchObject({ kind: 'unavailable' });
    await empty.close();
    expect(existsSync(file())).toBe(false);
    openDatabase(file(), 'write').exec('CREATE TABLE some (id INTEGER, text TEXT, bytes BLOB)');
    const other = new CommitThread(file(), place, []);
    await expect(other.make([insert(1, 'a', null)])).rejects.toMatchObject({ kind: 'unavailable' });
    await other.close();
  });
});

test('what is on disk is seen once it is acknowledged, and nothing of it before', async () => {
  const { events, views, close } = openByThread();
  const beside = openDatabase(join(dataDir, 'stopgo.db'), 'read');
  const onDisk = beside.one('SELECT count(*) FROM events', (row) => integer(row, 0));
  const seen = async () => {
    const page = { limit: 1, after: undefined };
    const newest = views.conversations({ status: undefined, query: undefined }, page).rows[0]?.head?.id;
    return [newest, views.counts().total, views.position(), await events.lastPosition()];
  };
  let newest: string | undefined;
  for (let count = 1; count <= 5; count++) {
    const story = new Story();
    const appended = events.append(appendOf(story.created()));
    const before = [newest, count - 1, count - 1, count - 1];
    // By then it is handed to the thread. Nothing is heard of that from here on, until something is awaited.
    await new Promise((resolve) => setImmediate(resolve));
    while ((onDisk() ?? 0) < count);
    expect(await seen()).toEqual(before);
    await appended;
    newest = story.id;
    expect(await seen()).toEqual([newest, count, count, count]);
  }
  beside.close();
  await close();
});

test("SQLite's log of the file is begun anew again and again", async () => {
  const { events, close } = openByThread();
  const definition = new Uint8Array(256 * 1024);
  const wal = join(dataDir, 'stopgo.db-wal');
  const sizes: number[] = [];
  for (let round = 0; round < 16; round++) {
    const appends = Array.from({ length: 24 }, () => {
      const { events: some, ...created } = new Story().created();
      return { ...appendOf({ ...created, events: some }), stream: parseStreamName(`tool-${created.idempotencyKey}`) };
    });
    await Promise.all(
      appends.map((one) =>
        events.append({ ...one, events: one.events.map((event) => ({ ...event, payload: definition })) }),
      ),
    );
    sizes.push(statSync(wal).size);
  }
  const pageBytes = 4_096;
  expect(Math.max(...sizes)).toBeLessThan(2 * (logPagesMax * pageBytes + 4 * bytesPerCommitMax));
  expect(sizes.length * 24 * definition.byteLength).toBeGreaterThan(2 * Math.max(...sizes));
  await close();
});

test('a process that has nothing else to do goes on until the thread has made all that it was given', () => {
  const script = fileURLToPath(new URL('./thread-writes.process.ts', import.meta.url));
  const node = ['--conditions=stopgo-source', '--import', 'tsx', script, dataDir, String(commitsPerMove + 44)];
  const { stdout, status } = spawnSync(process.execPath, node, { encoding: 'utf8' });
  expect([stdout.trim(), status]).toEqual([String(commitsPerMove + 44), 0]);
});
