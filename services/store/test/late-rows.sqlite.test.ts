import { views } from '@stopgo/proto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, type SqlDatabase } from '../src/adapters/sqlite/database.ts';
import { resetViews } from '../src/adapters/sqlite-views/schema.ts';
import { type ViewTables, viewTables } from '../src/adapters/sqlite-views/view-tables.ts';

const none = new Uint8Array();
const { ACTIVE, WAITING_APPROVAL } = views.ConversationStatus;
const everything = { context: undefined, standing: undefined, changedSince: 0 };

let database: SqlDatabase;
let tables: ViewTables;
beforeEach(() => {
  database = openDatabase(':memory:', 'write');
  resetViews(database);
  tables = viewTables(database);
});
afterEach(() => database.close());

/** A row of the conversation with key 7 at a revision: from the second on it waits, and its run is open and watched. */
function write(revision: number): void {
  const [status, run] = revision === 1 ? [ACTIVE, null] : [WAITING_APPROVAL, 'run'];
  const due = [run, run === null ? null : 5];
  tables.writeConversation(
    7,
    'c',
    revision,
    status,
    run,
    null,
    null,
    'ctx',
    'ann',
    1,
    revision,
    run,
    ...due,
    revision - 1,
    revision === 1 ? null : 6,
    none,
    none,
  );
}

const stored = () => database.all('SELECT revision FROM conversations', (row) => row[0])();

/** What each reader says of the second revision of the only conversation. */
const readers: { readonly [name: string]: readonly [read: () => unknown, said: unknown] } = {
  conversation: [() => tables.conversation('c')?.revision, 2],
  columnsAt: [() => tables.columnsAt(7)?.status, WAITING_APPROVAL],
  newest: [() => tables.newest(undefined, { status: WAITING_APPROVAL }, 9).length, 1],
  byChange: [() => tables.byChange(everything, undefined, 9).map((row) => row.changedAt), [2]],
  countByChange: [() => tables.countByChange({ ...everything, changedSince: 2 }), 1],
  openRuns: [() => tables.openRuns(0, 9).length, 1],
  openOrDueRuns: [() => tables.openOrDueRuns(5, 0, 9).map((row) => row.dueRun?.dueAt), [5]],
  watchedRuns: [() => tables.watchedRuns(0, 9).length, 1],
  asking: [() => tables.asking(undefined, undefined, 9).map(({ since }) => since), [6]],
  countAskedInputs: [() => tables.countAskedInputs('ann'), 1],
  counts: [() => tables.counts().filter(({ number }) => number > 0), [{ status: WAITING_APPROVAL, number: 1 }]],
  duePushes: [() => tables.duePushes(0, 9).map((push) => push.conversationId), ['c']],
};

test.each(Object.entries(readers))('%s sees a row that is not written yet', (_, [read, said]) => {
  database.exec('BEGIN');
  write(1);
  tables.writePush(8, 'c', 1, 1, null, 'c', 3, none);
  tables.setCheckpoint(1);
  database.exec('COMMIT');
  expect(read()).not.toEqual(said);
  database.exec('BEGIN');
  write(2);
  expect(stored()).toEqual([1]);
  expect(read()).toEqual(said);
});

const finders: { readonly [name: string]: () => unknown } = {
  conversationKey: () => tables.conversationKey('c'),
  conversationAt: () => tables.conversationAt(7)?.key,
  ofContext: () => tables.ofContext('ctx', 'ann', 100, 9)[0]?.key,
};

test.each(Object.entries(finders))('%s finds a conversation that is not written yet', (_, find) => {
  database.exec('BEGIN');
  write(1);
  expect(stored()).toEqual([]);
  expect(find()).toBe(7);
});

test('a push is written with the revision of its conversation, and goes with it', () => {
  database.exec('BEGIN');
  write(2);
  tables.writePush(8, 'c', 1, 1, null, 'c', 3, none);
  expect(database.all('SELECT head FROM push', (row) => row[0])()).toEqual([2]);
});

test('webhooks are named with the revision of their conversation, the first and the last of them', () => {
  database.exec('BEGIN');
  write(2);
  for (const revision of [5, 9]) tables.nameWebhooks(8, 'c', 'c', none, revision, revision);
  expect(database.all('SELECT head, named_from, named_through FROM push', (row) => row)()).toEqual([[2, 5, 9]]);
  expect(tables.pushIdsAfter('', 9)).toEqual([]);
});

test('a conversation that is removed does not come back', () => {
  database.exec('BEGIN');
  write(1);
  tables.deleteConversation(7);
  tables.setCheckpoint(1);
  expect(stored()).toEqual([]);
});

test('a row that changes several times in a transaction is written once, with the checkpoint', () => {
  database.exec('BEGIN');
  for (const revision of [1, 2, 3]) write(revision);
  expect(stored()).toEqual([]);
  tables.setCheckpoint(3);
  expect(stored()).toEqual([3]);
});

test('a row whose transaction came to nothing is not written', () => {
  database.exec('BEGIN');
  write(1);
  database.exec('ROLLBACK');
  expect(() => tables.openRuns(0, 9)).toThrow('the views lost what was not on disk yet');
  tables.forgetConversations();
  expect(tables.openRuns(0, 9)).toEqual([]);
  expect(stored()).toEqual([]);
});
