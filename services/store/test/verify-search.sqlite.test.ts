import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase, type SqlDatabase } from '../src/adapters/sqlite/database.ts';
import { openFile } from '../src/adapters/sqlite/file.ts';
import { verifySearch } from '../src/adapters/sqlite-views/verify-search.ts';
import { viewTables } from '../src/adapters/sqlite-views/view-tables.ts';
import { openReadOnly, type RunningStore, startStore } from '../src/index.ts';
import { freshDirectory, silent } from './sqlite-log.ts';
import { Story } from './story.ts';

type StoreClient = Client<typeof store.StoreService>;

let dataDir: string;
let story: Story;
beforeEach(async () => {
  dataDir = freshDirectory();
  story = new Story();
  await using(startStore({ dataDir, log: silent }), async (client) => {
    for (const append of [story.created(), ...story.turn('create a sérver, twice: create')])
      await client.append(append);
    for (const other of [new Story(), new Story()])
      for (const append of [other.created(), ...other.turn('elsewhere')]) await client.append(append);
  });
});
afterEach(() => rmSync(dataDir, { recursive: true }));

async function using<T>(opening: Promise<RunningStore>, use: (client: StoreClient) => Promise<T>): Promise<T> {
  const running = await opening;
  try {
    return await use(createInProcessClient(store.StoreService, running.service));
  } finally {
    await running.stop();
  }
}

/** What is found in a file that is open to read only, and in a running store. */
async function problems(): Promise<readonly string[]> {
  const found = (client: StoreClient) => client.verifySearch({});
  const stopped = await using(openReadOnly({ dataDir, log: silent }), found);
  const running = await using(startStore({ dataDir, log: silent }), found);
  expect(running).toEqual(stopped);
  expect(stopped.messages).toBeGreaterThan(0);
  return stopped.problems;
}

/** Changes the file of the store, which is stopped. After the system prompt comes what the user said. */
function inFile(sql: string): void {
  const file = openDatabase(join(dataDir, 'stopgo.db'), 'write');
  file.exec(sql);
  file.close();
}

/** A database that notes the queries that are made of the words of messages, and has something written while one is read. */
function noting(database: SqlDatabase, queries: string[], write: () => void): SqlDatabase {
  return {
    ...database,
    each: (sql, read) => {
      const query = database.each(sql, read);
      return function* (...parameters) {
        if (sql.includes('temp.message_words')) queries.push(sql);
        for (const row of query(...parameters)) {
          yield row;
          write();
        }
      };
    },
    toRead: () => noting(database.toRead(), queries, write),
  };
}

const userKey = '(SELECT min(key) + 1 FROM messages)';
const words = (text: string, key = userKey) => `INSERT INTO message_words (rowid, words) VALUES (${key}, '${text}');`;
const remove = (text: string) =>
  `INSERT INTO message_words (message_words, rowid, words) VALUES ('delete', ${userKey}, '${text}');`;
const text = 'create a sérver, twice: create';

test('a sound index has no problem', async () => {
  expect(await problems()).toEqual([]);
});

test('words that the index lacks are named with their message', async () => {
  inFile(remove(text) + words('create a'));
  expect(await problems()).toEqual([
    `conversation-${story.id}: message 2: the index lacks "create", "server", "twice"`,
  ]);
});

test('words that the message does not hold are named with it', async () => {
  inFile(remove(text) + words(`${text} forged`));
  expect(await problems()).toEqual([
    `conversation-${story.id}: message 2: the index has "forged", which the message does not hold there`,
  ]);
});

test('words in another order are named: a search for them side by side finds others', async () => {
  inFile(remove(text) + words('a create sérver, twice: create'));
  expect(await problems()).toEqual([
    `conversation-${story.id}: message 2: the index lacks "a", "create"`,
    `conversation-${story.id}: message 2: the index has "a", "create", which the message does not hold there`,
  ]);
});

test('words of a message that is not there are named', async () => {
  inFile(words('forged', `${userKey} + 9`));
  expect(await problems()).toEqual([
    `conversation-${story.id}: message 11: the index has "forged", which the message does not hold there`,
  ]);
});

test('words of a conversation that is not there are a problem, unless one was set aside', async () => {
  inFile(words('forged', '1000 * (1 << 20) + 1'));
  expect(await problems()).toEqual([
    'message 1 of a conversation that is not there (key 1000): the index has "forged", which the message does not hold there',
  ]);
  inFile(`INSERT INTO set_aside VALUES ('gone', 1000, 1, 'damaged')`);
  expect(await using(openReadOnly({ dataDir, log: silent }), (client) => client.verifySearch({}))).toMatchObject({
    problems: [],
  });
});

test('an index that is empty names messages up to the bound', async () => {
  inFile(`INSERT INTO message_words (message_words) VALUES ('delete-all')`);
  const found = await problems();
  expect(found.length).toBeGreaterThan(3);
  expect(found[0]).toBe(`conversation-${story.id}: message 1: the index lacks "be", "helpful"`);
});

test('the index is read by one query, however often a word stands in it, while others append', async () => {
  const often = new Story();
  await using(startStore({ dataDir, log: silent }), async (client) => {
    for (const append of [often.created(), ...often.turn('often '.repeat(3 * 10_000))]) await client.append(append);
  });
  const file = openFile(dataDir);
  const queries: string[] = [];
  let written = 0;
  const write = () => {
    written += 1;
    if (written === 1) file.database.exec(`BEGIN; ${words('later', '9000 * (1 << 20)')} COMMIT`);
  };
  const found = await verifySearch(viewTables(noting(file.database, queries, write)), new AbortController().signal);
  file.close();
  expect(found).toMatchObject({ problems: [] });
  expect(queries).toEqual(['SELECT term, doc, offset FROM temp.message_words_occurrences']);
});

test('a reading of the index ends with the store', () => {
  const file = openFile(dataDir);
  const index = viewTables(file.database.toRead()).words;
  index.prepare();
  const taken: unknown[] = [];
  const readAll = () => {
    for (const one of index.occurrences()) {
      taken.push(one);
      file.close();
    }
  };
  expect(readAll).toThrow('the store is stopped');
  expect(taken).toHaveLength(1);
});
