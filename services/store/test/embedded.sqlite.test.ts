import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { textToTell } from '@stopgo/core';
import { store, views } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, type SqlDatabase, type SqlRow, type SqlValue, text } from '../src/adapters/sqlite/database.ts';
import { Deltas } from '../src/deltas.ts';
import { type Observation, openReadOnly, startStore } from '../src/index.ts';
import { Instances } from '../src/instances.ts';
import { storeService } from '../src/service.ts';
import { freshDirectory, openParts, silent } from './sqlite-log.ts';
import { Story } from './story.ts';

type StoreClient = Client<typeof store.StoreService>;

let dataDir: string;
beforeEach(() => {
  dataDir = freshDirectory();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

async function withStore<T>(use: (client: StoreClient) => Promise<T>, observed: Observation[] = []): Promise<T> {
  const running = await startStore({ dataDir, log: silent, observe: (one) => observed.push(one) });
  try {
    return await use(createInProcessClient(store.StoreService, running.service));
  } finally {
    await running.stop();
  }
}

async function send(client: StoreClient, append: ReturnType<Story['append']>): Promise<void> {
  const { outcome } = await client.append({ ...append, returnView: true });
  expect(outcome.case).toBe('appended');
}

async function tell(client: StoreClient, turns: number): Promise<Story> {
  const story = new Story();
  await send(client, story.created());
  for (let turn = 0; turn < turns; turn++) for (const append of story.turn()) await send(client, append);
  return story;
}

/** Changes the file of a store that is stopped. */
function tamper(sql: string): void {
  const file = openDatabase(join(dataDir, 'stopgo.db'), 'write');
  file.exec(sql);
  file.close();
}

const viewRows = [
  'SELECT key, id, revision, status, open_run_id, owner_instance, owner_epoch, watched_run_id, hex(head), hex(snapshot) FROM conversations ORDER BY key',
  'SELECT key, revision, is_told, hex(bytes) FROM messages ORDER BY key',
  'SELECT key, id, conversation, status, hex(bytes) FROM approvals ORDER BY key',
  'SELECT status, number FROM conversation_counts WHERE number > 0 ORDER BY status',
  'SELECT version, checkpoint FROM views_meta',
];

/** Every row of the views. */
function allRows(): SqlRow[][] {
  const file = openDatabase(join(dataDir, 'stopgo.db'), 'read');
  const rows = viewRows.map((sql) => file.all(sql, (row) => row)());
  file.close();
  return rows;
}

test('what is said in a context is read without the calls and results beside it', async () => {
  await withStore((client) => tell(client, 2));
  const file = openDatabase(join(dataDir, 'stopgo.db'), 'read');
  const kept = file
    .all('SELECT is_told, bytes FROM messages', (row) => row)()
    .map(([isTold, bytes]) => ({
      isTold,
      text: textToTell(fromBinary(views.MessageSchema, bytes as Uint8Array)),
    }));
  file.close();
  for (const { isTold, text } of kept) expect(isTold, text).toBe(text === '' ? 0 : 1);
  expect(new Set(kept.map(({ isTold }) => isTold)).size).toBe(2);
});

test('appends that come together share a commit', async () => {
  const observed: Observation[] = [];
  await withStore(async (client) => {
    await Promise.all(Array.from({ length: 200 }, () => send(client, new Story().created())));
  }, observed);
  const commits = observed.filter((one) => one.kind === 'commit');
  expect(commits.reduce((sum, commit) => sum + commit.appends, 0)).toBe(200);
  expect(commits.length).toBeLessThanOrEqual(4);
});

describe('rebuild', () => {
  /** Conversations whose appends are mixed with each other and with other streams. */
  async function mixed(client: StoreClient): Promise<void> {
    const stories = Array.from({ length: 6 }, () => new Story());
    await Promise.all(stories.map((story) => send(client, story.created())));
    await Promise.all(
      stories.map(async (story, n) => {
        for (let turn = 0; turn <= n; turn++) for (const append of story.turn()) await send(client, append);
        await send(client, story.asked('one more'));
        if (n % 2 === 0) await send(client, story.stopped());
      }),
    );
  }

  const losses: readonly (readonly [string, string])[] = [
    ['of another version', "UPDATE views_meta SET version = 'older'"],
    ['from which a table is gone', 'DROP TABLE approvals'],
    ['that lost their conversations', 'DELETE FROM conversations'],
    ['whose bookkeeping is gone', 'DROP TABLE views_meta'],
    ['that are ahead of the log', 'UPDATE views_meta SET checkpoint = 1000000'],
  ];
  for (const [what, sql] of losses)
    test(`views ${what} are made anew, row by row the same`, async () => {
      await withStore(mixed);
      const rows = allRows();
      expect(rows.slice(0, 3).every((table) => table.length > 0)).toBe(true);
      tamper(sql);
      await withStore(async (client) => {
        expect((await client.listConversations({ query: 'server' })).conversations).toHaveLength(6);
        for (const { head } of (await client.listConversations({})).conversations)
          expect((await client.verifyStream({ stream: `conversation-${head?.id}` })).problems).toEqual([]);
      });
      expect(allRows()).toEqual(rows);
    });

  test('views that are behind the log catch up from their checkpoint, in several transactions', async () => {
    await withStore(async (client) => {
      for (let n = 0; n < 50; n++) await tell(client, 1);
    });
    const rows = allRows();
    // As if they were of another version, and the process had died after the first batch of the rebuild.
    tamper("UPDATE views_meta SET version = 'older'");
    const parts = openParts(dataDir);
    expect(parts.projection.checkpoint()).toBe(0);
    const { applyBatch } = await import('../src/adapters/sqlite-views/rebuild.ts');
    applyBatch(parts, await parts.events.readAll(0, 101));
    // What is applied twice counts once.
    applyBatch(parts, await parts.events.readAll(0, 50));
    expect(parts.projection.checkpoint()).toBe(101);
    await parts.close();
    await withStore(async () => undefined);
    expect(allRows()).toEqual(rows);
  });

  test('an append to views that do not show its stream is refused instead of written on top', async () => {
    const story = await withStore((client) => tell(client, 1));
    tamper('UPDATE conversations SET revision = 3');
    await withStore(async (client) => {
      await expect(client.append(story.asked('hello'))).rejects.toMatchObject({ kind: 'data_loss' });
    });
  });
});

describe('verify', () => {
  const damages: readonly (readonly [string, string, RegExp])[] = [
    [
      'a flipped byte in an event',
      "UPDATE events SET envelope = cast(replace(cast(envelope AS TEXT), 'ann', 'bob') AS BLOB) WHERE revision = 2",
      /^event 2: its hash/,
    ],
    ['an event that is gone', 'DELETE FROM events WHERE revision = 5', /^event 5 is missing$/],
    ['the last event gone', 'DELETE FROM events WHERE revision = (SELECT max(revision) FROM events)', /revision/],
    [
      'two events exchanged',
      'UPDATE events SET envelope = (SELECT envelope FROM events AS other WHERE other.revision = 9 - events.revision) WHERE revision IN (4, 5)',
      /^event 4: its bytes say event 5/,
    ],
    ['a changed hash', 'UPDATE events SET hash = zeroblob(32) WHERE revision = 3', /^event 3: its hash/],
    ['a forgotten key', 'DELETE FROM appends WHERE first_revision = 2', /^event 2: no idempotency key/],
    [
      'a changed title',
      "UPDATE conversations SET head = cast(replace(cast(head AS TEXT), 'my-test', 'my-tost') AS BLOB)",
      /^head: title is ".*my-tost.*", the events give ".*my-test/,
    ],
    [
      'a changed snapshot',
      `UPDATE conversations SET snapshot = cast(replace(cast(snapshot AS TEXT), '"completed"', '"failed"') AS BLOB)`,
      /^snapshot: run is/,
    ],
    ['a changed status', 'UPDATE conversations SET status = 2', /^the list: status is 2, the events give 1$/],
    [
      'an owner made up',
      "UPDATE conversations SET open_run_id = 'r', owner_instance = 'me', owner_epoch = 1",
      /^the list: open run is "r"/,
    ],
    ['something that is due', "UPDATE conversations SET due_run_id = 'r', due_at = 7", /^the list: due is "r 7"/],
    ['another context', "UPDATE conversations SET context_id = 'x'", /^the list: context is "x"/],
    ['another principal', "UPDATE conversations SET principal = 'x'", /^the list: principal is "x"/],
    ['another standing', 'UPDATE conversations SET standing = 7', /^the list: standing is 7, the events give 5$/],
    ['another last change', 'UPDATE conversations SET changed_at = 7', /^the list: last change is 7/],
    [
      'a changed message',
      "UPDATE messages SET bytes = cast(replace(cast(bytes AS TEXT), 'create', 'delete') AS BLOB) WHERE revision = 2",
      /^message 2: content is "delete/,
    ],
    ['a message that is gone', 'DELETE FROM messages WHERE revision = 2', /^message 2: the row is missing$/],
    [
      'a message made up',
      'INSERT INTO messages SELECT key + 100, revision, is_told, bytes FROM messages WHERE revision = 2',
      /^there are messages after the last one/,
    ],
    [
      'another run of an approval',
      "UPDATE approvals SET asked_in_run = 'x'",
      /^approval .* in the list: asked in run is "x"/,
    ],
    [
      'a changed approval',
      "UPDATE approvals SET bytes = cast(replace(cast(bytes AS TEXT), 'ann', 'bob') AS BLOB)",
      /^approval .*: decidedBy is "bob", the events give "ann"$/,
    ],
    [
      'a changed status of an approval',
      'UPDATE approvals SET status = 1',
      /^approval .* in the list: status is 1, the events give 2$/,
    ],
    [
      'another who is to look at an approval',
      "UPDATE approvals SET assignee = 'user:eve'",
      /^approval .* in the list: assignee is "user:eve"/,
    ],
    ['another agent of an approval', "UPDATE approvals SET agent = 'x'", /^approval .* in the list: agent is "x"/],
    ['an approval that is gone', 'DELETE FROM approvals', /^approval .*: the row is missing$/],
    [
      'an approval made up',
      "INSERT INTO approvals SELECT key + 1, 'made up', conversation, status, NULL, principal, tool, server, node, requested_at, asked_of_all, overdue_from, assignee, agent, bytes FROM approvals",
      /^approval made up: there is a row, but no event$/,
    ],
  ];
  for (const [what, sql, problem] of damages)
    test(`tells of ${what}`, async () => {
      const story = await withStore((client) => tell(client, 1));
      const reader = async () => openReadOnly({ dataDir, log: silent });
      const verify = async () => {
        const { service, stop } = await reader();
        const answer = await createInProcessClient(store.StoreService, service).verifyStream({ stream: story.stream });
        await stop();
        return answer.problems;
      };
      expect(await verify()).toEqual([]);
      tamper(sql);
      expect(
        (await verify()).some((one) => problem.test(one)),
        `${await verify()}`,
      ).toBe(true);
    });
});

test('a store that is opened to read refuses appends and changes no byte', async () => {
  await withStore((client) => tell(client, 1));
  const rows = allRows();
  const { service, stop } = await openReadOnly({ dataDir, log: silent });
  const client = createInProcessClient(store.StoreService, service);
  await expect(client.append(new Story().created())).rejects.toMatchObject({ kind: 'failed_precondition' });
  await stop();
  expect(allRows()).toEqual(rows);
});

/** Counts the rows that pass between the store and its file, and remembers every statement. */
class Meter {
  rows = 0;
  statements = new Set<string>();

  wrap = (database: SqlDatabase): SqlDatabase => ({
    ...database,
    run: (sql) => this.#count(sql, database.run(sql), () => 1),
    one: (sql, read) => this.#count(sql, database.one(sql, read), (row) => (row === undefined ? 0 : 1)),
    all: (sql, read) => this.#count(sql, database.all(sql, read), (rows) => rows.length),
  });

  #count<T>(sql: string, use: (...parameters: readonly SqlValue[]) => T, rowsOf: (result: T) => number) {
    this.statements.add(sql);
    return (...parameters: readonly SqlValue[]): T => {
      const result = use(...parameters);
      this.rows += rowsOf(result);
      return result;
    };
  }
}

test('the hundredth turn of a conversation reads and writes as many rows as the second', async () => {
  const meter = new Meter();
  const parts = openParts(dataDir, undefined, meter.wrap);
  const { events: log, views } = parts;
  const service = storeService({
    log,
    views,
    blobs: parts.blobs,
    deltas: new Deltas(),
    instances: new Instances(true, () => performance.now()),
    openStreamsMax: 1,
  });
  const client = createInProcessClient(store.StoreService, service);
  const story = new Story();
  await send(client, story.created());
  const costs: number[] = [];
  for (let turn = 1; turn <= 100; turn++) {
    const before = meter.rows;
    for (const append of story.turn()) await send(client, append);
    await client.load({ by: { case: 'conversationId', value: story.id } });
    costs.push(meter.rows - before);
  }
  expect(costs[0]).toBeGreaterThan(20);
  expect(new Set(costs.slice(1)), `${costs}`).toEqual(new Set([costs[1]]));
  await parts.close();
});

test('no statement looks through a table that grows', async () => {
  const meter = new Meter();
  const parts = openParts(dataDir, undefined, meter.wrap);
  const scans: string[] = [];
  for (const sql of [...meter.statements]) {
    // A verification makes tables of its own, and reads everything.
    if (sql.startsWith('PRAGMA') || sql.includes('temp.')) continue;
    const plan = parts.database.all(`EXPLAIN QUERY PLAN ${sql}`, (row) => text(row, 3))(
      ...Array.from({ length: sql.split('?').length - 1 }, () => null),
    );
    scans.push(...plan.filter((step) => /^SCAN|TEMP B-TREE/.test(step)).map((step) => `${step}: ${sql}`));
  }
  await parts.close();
  // Tables of a few rows, the full-text index (which has no other way), what only a start asks, and the order of runs that are due:
  // those that are soon are not any more. Lists that the statement itself is given, as JSON. And sums over so many rows at most.
  const harmless =
    /^SCAN (\(subquery-1\): .* LIMIT 10000\)$|views_meta|set_aside|conversation_counts|message_words VIRTUAL|(word|asked) VIRTUAL TABLE.*json_each\(\?\) AS \2 )|sqlite_master|count\(\*\)|ORDER BY:.*due_at <= /s;
  expect(scans.filter((scan) => !harmless.test(scan))).toEqual([]);
  expect(meter.statements.size).toBeGreaterThan(30);
});
