import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, type SqlRow } from '../src/adapters/sqlite/database.ts';
import { openFileReadOnly } from '../src/adapters/sqlite/file.ts';
import { startStore } from '../src/index.ts';
import { freshDirectory, silent } from './sqlite-log.ts';
import { Story } from './story.ts';

type StoreClient = Client<typeof store.StoreService>;

let dataDir: string;
beforeEach(() => {
  dataDir = freshDirectory();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

async function withStore<T>(use: (client: StoreClient) => Promise<T>): Promise<T> {
  const running = await startStore({ dataDir, log: silent });
  try {
    return await use(createInProcessClient(store.StoreService, running.service));
  } finally {
    await running.stop();
  }
}

/** Appends the first turn of a story. */
async function tell(story: Story): Promise<void> {
  await withStore(async (client) => {
    for (const append of [story.created(), ...story.turn()])
      expect((await client.append(append)).outcome.case).toBe('appended');
  });
}

const problemsOf = ({ stream }: Story): Promise<readonly string[]> =>
  withStore(async (client) => (await client.verifyStream({ stream })).problems);

/** Changes the file of a store that is stopped, and gives the rows that a query finds. */
function inFile(sql: string, query = 'SELECT 1'): SqlRow[] {
  const file = openDatabase(join(dataDir, 'stopgo.db'), 'write');
  file.exec(sql);
  const rows = file.all(query, (row) => row)();
  file.close();
  return rows;
}

const second = 'first_revision = (SELECT first_revision FROM appends ORDER BY first_revision LIMIT 1 OFFSET 1)';
const changed = expect.stringContaining('were changed after they were recorded');

test('appends that nobody changed verify', async () => {
  const story = new Story();
  await tell(story);
  expect(inFile('', 'SELECT count(*) FROM appends WHERE seal IS NULL')).toEqual([[0]]);
  expect(await problemsOf(story)).toEqual([]);
});

test.each([
  ['a key', `UPDATE appends SET key = 'other' WHERE ${second}`],
  ['a request digest', `UPDATE appends SET request_digest = 'other' WHERE ${second}`],
  ['a seal', `UPDATE appends SET seal = zeroblob(32) WHERE ${second}`],
])('%s that was changed in the file is told', async (_, sql) => {
  const story = new Story();
  await tell(story);
  inFile(sql);
  expect(await problemsOf(story)).toEqual([changed]);
});

test('two appends that changed places are both told', async () => {
  const story = new Story();
  await tell(story);
  const [one, other] = inFile('', 'SELECT key FROM appends ORDER BY first_revision LIMIT 2').map(([key]) =>
    String(key),
  );
  inFile(`UPDATE appends SET key = 'between' WHERE key = '${one}';
    UPDATE appends SET key = '${one}' WHERE key = '${other}';
    UPDATE appends SET key = '${other}' WHERE key = 'between'`);
  expect(await problemsOf(story)).toEqual([changed, changed]);
});

test('a file of an older release verifies as it is, and gets seals for what is appended from now on', async () => {
  const [story, later] = [new Story(), new Story()];
  await tell(story);
  inFile('ALTER TABLE appends DROP COLUMN seal');
  const asItIs = openFileReadOnly(dataDir);
  asItIs.close();
  await tell(later);
  expect([await problemsOf(story), await problemsOf(later)]).toEqual([[], []]);
  const sealed = `SELECT name, count(seal) > 0 FROM appends JOIN streams ON stream = id WHERE name LIKE 'conversation-%'
    GROUP BY name ORDER BY min(stream)`;
  expect(inFile('', sealed)).toEqual([
    [story.stream, 0],
    [later.stream, 1],
  ]);
});

test('an older release can append to the file', async () => {
  const story = new Story();
  await tell(story);
  inFile(`INSERT INTO appends (stream, key, first_revision, last_revision, request_digest)
    SELECT stream, 'of an older release', first_revision, last_revision, request_digest FROM appends WHERE ${second};
    DELETE FROM appends WHERE key <> 'of an older release' AND ${second}`);
  expect(await problemsOf(story)).toEqual([]);
});
