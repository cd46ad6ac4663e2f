import { join } from 'node:path';
import { compilePattern } from '@stopgo/tool-server/pattern';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../src/database.ts';
import { createResourceStore, type ResourceStore, storeLimits } from '../src/store.ts';
import { temporaryFolder } from './program.ts';

const FROZEN = 1_795_227_528_102_666_430n;
let folder: ReturnType<typeof temporaryFolder>;
let monotonic = 0;
const opened: ResourceStore[] = [];

function open(limits: Partial<typeof storeLimits> = {}, now: () => bigint = () => FROZEN): ResourceStore {
  const clocks = { unixNanoseconds: now, monotonicMs: () => monotonic };
  const store = createResourceStore(openDatabase(join(folder.path, 'r.db')), clocks, { ...storeLimits, ...limits });
  opened.push(store);
  return store;
}

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  for (const store of opened.splice(0)) store.close();
  folder.remove();
});

test('a commit waits for the disk', () => {
  const database = openDatabase(join(folder.path, 'r.db'));
  const pragma = (name: string) => database.prepare(`PRAGMA ${name}`).get();
  expect([pragma('journal_mode'), pragma('synchronous')]).toMatchObject([{ journal_mode: 'wal' }, { synchronous: 2 }]);
  database.close();
});

test('ids differ within one tick, after the clock went back, and between processes on one file', () => {
  let now = FROZEN;
  const one = open({}, () => now);
  const two = open();
  const ids = [one.add('a', 1), one.add('a', 1), two.add('a', 1)];
  now = FROZEN - 5n;
  ids.push(one.add('a', 1));
  const seen = ids.map((outcome) => (outcome.kind === 'added' ? outcome.resource.id : outcome.kind));
  expect(new Set(seen).size).toBe(4);
  expect(seen[0]).toBe('1795227528102666430');
  expect(one.list(undefined)).toMatchObject({ count: 4 });
});

test('answers are cut at the limit and still say how many there are', () => {
  const store = open({ resultsMax: 3 });
  for (const name of ['e', 'd', 'c', 'b', 'a']) store.add(name, 1);
  for (const found of [store.list(undefined), store.list(() => true)]) {
    expect(found).toMatchObject({ count: 5, resources: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
  }
  expect(store.remove(undefined, (name) => name !== 'c')).toMatchObject({ count: 4, ids: { length: 3 } });
  expect(store.list(undefined)).toMatchObject({ count: 1 });
});

test('the number of resources is bounded', () => {
  const store = open({ resourcesMax: 1 });
  expect(store.add('a', 1).kind).toBe('added');
  expect(store.add('b', 1).kind).toBe('full');
});

test('every page of a long table is tested once', () => {
  const store = open();
  const database = openDatabase(join(folder.path, 'r.db'));
  const insert = database.prepare("INSERT INTO resources VALUES (?, ?, 1, '', '')");
  database.transaction(() => {
    for (let index = 0; index < 1_203; index += 1) insert.run(String(index), `n${index % 7}`);
  })();
  database.close();
  let tested = 0;
  const count = () => {
    tested += 1;
    return true;
  };
  expect(store.list(count)).toMatchObject({ count: 1_203 });
  expect(tested).toBe(1_203);
});

test('a pattern that takes too long removes nothing', () => {
  const store = open({ matchTimeMaxMs: 10 });
  for (const name of ['a', 'b', 'c']) store.add(name, 1);
  const slow = () => {
    monotonic += 6;
    return true;
  };
  expect(store.remove('1795227528102666430', slow)).toEqual({ kind: 'too_slow' });
  expect(store.list(slow)).toEqual({ kind: 'too_slow' });
  expect(store.list(undefined)).toMatchObject({ count: 3 });
});

test.each(['\\1', '(?=a)', '(?!a)', '(?<=a)b', '(?<!a)b', 'a{1001}', '[', 'a**', '\\C'])(
  'pattern %s is not RE2',
  (pattern) => {
    expect(compilePattern(pattern)).toMatchObject({ kind: 'invalid', reason: expect.stringMatching(/\S/u) });
  },
);
