import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fact, parseStreamName } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import type { LogFields } from '@stopgo/runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, type SqlRow } from '../src/adapters/sqlite/database.ts';
import { applyBatch } from '../src/adapters/sqlite-views/rebuild.ts';
import { messageKey } from '../src/adapters/sqlite-views/view-tables.ts';
import { conversationKeyMax, messagesPerConversationMax } from '../src/bounds.ts';
import { type Observation, openReadOnly, startStore } from '../src/index.ts';
import { recordedFact } from '../src/recorded.ts';
import { freshDirectory, openParts, silent } from './sqlite-log.ts';
import { eventsOf, Story } from './story.ts';

type StoreClient = Client<typeof store.StoreService>;
type Line = { readonly level: string; readonly message: string; readonly fields: LogFields | undefined };

let dataDir: string;
beforeEach(() => {
  dataDir = freshDirectory();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** A logger that keeps what it is told. */
function keeping(lines: Line[]) {
  const at = (level: string) => (message: string, fields?: LogFields) => void lines.push({ level, message, fields });
  return { ...silent, info: at('info'), warn: at('warn'), error: at('error') };
}

async function withStore<T>(
  use: (client: StoreClient, lines: Line[]) => Promise<T>,
  observed: Observation[] = [],
): Promise<T> {
  const lines: Line[] = [];
  const running = await startStore({ dataDir, log: keeping(lines), observe: (one) => observed.push(one) });
  try {
    return await use(createInProcessClient(store.StoreService, running.service), lines);
  } finally {
    await running.stop();
  }
}

/** A conversation, whose last turn waits for its approval if `waiting`. */
async function tell(client: StoreClient, waiting = false): Promise<Story> {
  const story = new Story();
  const appends = [story.created(), ...(waiting ? [story.asked('create it'), story.stopped()] : story.turn())];
  for (const append of appends) expect((await client.append(append)).outcome.case).toBe('appended');
  return story;
}

/** Two conversations that wait for their approvals; their events take turns. */
async function tellTwo(client: StoreClient): Promise<readonly [Story, Story]> {
  const both = [new Story(), new Story()] as const;
  for (const part of ['created', 'asked', 'stopped'] as const)
    for (const story of both) {
      const append = part === 'asked' ? story.asked('create it') : story[part]();
      expect((await client.append(append)).outcome.case).toBe('appended');
    }
  return both;
}

/** Changes the file of a store that is stopped, and gives the rows that a query finds. */
function inFile(sql: string, query = 'SELECT 1'): SqlRow[] {
  const file = openDatabase(join(dataDir, 'stopgo.db'), 'write');
  file.exec(sql);
  const rows = file.all(query, (row) => row)();
  file.close();
  return rows;
}

const damagedEvent = (revision: number, stream: string) =>
  `UPDATE events SET envelope = zeroblob(20) WHERE revision = ${revision}
     AND stream = (SELECT id FROM streams WHERE name = '${stream}');`;
const otherVersion = "UPDATE views_meta SET version = 'older';";
const lost = expect.objectContaining({ kind: 'data_loss', message: expect.stringContaining('stopgo verify') });

describe('an unreadable event and views that are made anew', () => {
  test('a load gives the state where the log has lost an event that the views have seen', async () => {
    const [story] = await withStore(tellTwo);
    inFile(
      `UPDATE events SET revision = 99 WHERE revision = 3
         AND stream = (SELECT id FROM streams WHERE name = '${story.stream}');`,
    );
    await withStore(async (client) => {
      const by = { case: 'conversationId', value: story.id } as const;
      const { snapshot, foldVersion } = await client.load({ by });
      const loaded = await client.load({ by, knownFoldVersion: foldVersion });
      expect([loaded.unseen, loaded.snapshot]).toEqual([[], snapshot]);
    });
  });

  test('set the conversation aside; the others go on', async () => {
    const repeated = new Story().created();
    const [sound, damaged] = await withStore(tellTwo);
    inFile(damagedEvent(3, damaged.stream) + otherVersion);

    const named = { level: 'error', fields: { stream: damaged.stream, event: 3 } };
    const refused = async (client: StoreClient) => {
      const { id, stream } = damaged;
      await expect(client.load({ by: { case: 'conversationId', value: id } })).rejects.toEqual(lost);
      await expect(client.getConversation({ conversationId: id })).rejects.toEqual(lost);
      await expect(client.append({ ...repeated, stream })).rejects.toEqual(lost);
      await expect(client.append({ ...repeated, stream, expectedRevision: 7 })).rejects.toEqual(lost);
    };
    await withStore(async (client, lines) => {
      expect(lines).toContainEqual(
        expect.objectContaining({ ...named, fields: expect.objectContaining(named.fields) }),
      );
      await refused(client);
      for (const query of ['', 'create']) {
        const { conversations, summary } = await client.listConversations({ query });
        expect(conversations.map((one) => one.head?.id)).toEqual([sound.id]);
        expect(summary).toMatchObject({ total: 1, waitingApproval: 1 });
      }
      expect((await client.listApprovals({})).approvals.map((one) => one.conversationId)).toEqual([sound.id]);
      expect((await client.append(sound.approved())).outcome.case).toBe('appended');
      expect((await client.verifyStream({ stream: sound.stream })).problems).toEqual([]);
      expect((await client.verifyStream({ stream: damaged.stream })).problems).toContainEqual(
        expect.stringMatching(/^event 3: /),
      );
    });
    // The next start knows of it without making anything anew.
    await withStore(async (client, lines) => {
      expect(lines).toEqual([expect.objectContaining({ ...named, fields: expect.objectContaining(named.fields) })]);
      await refused(client);
    });
  });

  test('take away what earlier transactions made of the conversation', async () => {
    const [, damaged] = await withStore(tellTwo);
    inFile(damagedEvent(4, damaged.stream) + otherVersion);
    const parts = openParts(dataDir);
    const events = await parts.events.readAll(0, 100);
    const at = events.findIndex((one) => one.stream === damaged.stream && one.revision === 4);
    applyBatch(parts, events.slice(0, at));
    expect(parts.views.view(damaged.id)?.head?.revision).toBe(3);
    expect(parts.views.counts()).toMatchObject({ total: 2 });
    applyBatch(parts, events.slice(0, at + 1));
    applyBatch(parts, events);
    expect(() => parts.views.view(damaged.id)).toThrow(lost);
    expect(parts.views.counts()).toMatchObject({ total: 1 });
    expect(parts.allSetAside(9)).toMatchObject([{ conversationId: damaged.id, revision: 4, position: at + 1 }]);
    await parts.close();
    for (const table of ['conversations', 'approvals'])
      expect(inFile('', `SELECT count(*) FROM ${table}`), table).toEqual([[1]]);
    expect(inFile('', `SELECT count(DISTINCT key >> 20) FROM messages`)).toEqual([[1]]);
  });

  test('two events that changed places are no conversation either', async () => {
    const { stream } = await withStore((client) => tell(client));
    inFile(
      `UPDATE events SET envelope = (SELECT envelope FROM events AS other WHERE other.revision = 9 - events.revision)
         WHERE revision IN (4, 5);${otherVersion}`,
    );
    await withStore(async (_, lines) => {
      expect(lines.filter((one) => one.level === 'error')).toMatchObject([{ fields: { stream, event: 4 } }]);
    });
  });
});

test('an event of another conversation sets aside the one that it stands in', async () => {
  const [sound, damaged] = await withStore(tellTwo);
  const id = (story: Story) => `(SELECT id FROM streams WHERE name = '${story.stream}')`;
  inFile(
    `UPDATE events SET envelope = (SELECT envelope FROM events WHERE revision = 2 AND stream = ${id(sound)})
       WHERE revision = 2 AND stream = ${id(damaged)};${otherVersion}`,
  );
  await withStore(async (client, lines) => {
    expect(lines.filter((one) => one.level === 'error')).toMatchObject([
      { fields: { stream: damaged.stream, event: 2 } },
    ]);
    expect((await client.listConversations({})).conversations.map((one) => one.head?.id)).toEqual([sound.id]);
  });
});

describe('a damaged row of a conversation', () => {
  const rows = () =>
    inFile('', 'SELECT key, id, revision, status, open_run_id, hex(head), hex(snapshot) FROM conversations').concat(
      inFile('', 'SELECT key, id, status, hex(bytes) FROM approvals'),
    );
  const damages: readonly (readonly [string, string])[] = [
    ['a snapshot that is no JSON', "UPDATE conversations SET snapshot = cast('{\"rev' AS BLOB)"],
    ['a snapshot that is no state', "UPDATE conversations SET snapshot = cast('{}' AS BLOB)"],
    [
      'a snapshot of another revision',
      `UPDATE conversations SET snapshot = cast(replace(cast(snapshot AS TEXT), '"revision":7', '"revision":6') AS BLOB)`,
    ],
    ['a head that cannot be read', 'UPDATE conversations SET head = zeroblob(9)'],
    [
      'a head of another conversation',
      "UPDATE conversations SET head = cast(replace(cast(head AS TEXT), substr(id, 1, 8), 'deadbeef') AS BLOB)",
    ],
    ['a pending approval that cannot be read', 'UPDATE approvals SET bytes = zeroblob(9)'],
  ];
  for (const [what, sql] of damages)
    test(`is made anew from the events: ${what}`, async () => {
      const story = await withStore((client) => tell(client, true));
      const before = rows();
      inFile(sql);
      expect(rows()).not.toEqual(before);
      await withStore(async (client, lines) => {
        const loaded = await client.load({ by: { case: 'conversationId', value: story.id } });
        expect(loaded.revision).toBe(story.revision);
        expect(lines).toMatchObject([{ level: 'warn', fields: { conversation: story.id } }]);
        expect((await client.verifyStream({ stream: story.stream })).problems).toEqual([]);
      });
      expect(rows()).toEqual(before);
      await withStore(async (client, lines) => {
        expect((await client.append(story.approved())).outcome.case).toBe('appended');
        expect(lines).toEqual([]);
      });
    });

  test('is compared as it is by a verification', async () => {
    const story = await withStore((client) => tell(client, true));
    inFile("UPDATE conversations SET snapshot = cast('{\"rev' AS BLOB)");
    await withStore(async (client) => {
      const { problems } = await client.verifyStream({ stream: story.stream });
      expect(problems).toEqual(['snapshot: is no JSON object']);
    });
    const parts = openParts(dataDir);
    expect(parts.views.storedMessagesAt(story.id, 5)).toMatchObject([{ toolCall: { name: 'add_resource' } }]);
    await parts.close();
    expect(inFile('', 'SELECT cast(snapshot AS TEXT) FROM conversations')).toEqual([['{"rev']]);
  });

  const lies: readonly (readonly [string, (stream: string) => string])[] = [
    ['unreadable', (stream) => damagedEvent(2, stream)],
    [
      'changed',
      () => "UPDATE events SET envelope = cast(replace(cast(envelope AS TEXT), 'create', 'delete') AS BLOB);",
    ],
    ['gone', () => 'DELETE FROM events WHERE revision = 2;'],
  ];
  for (const [what, damage] of lies)
    test(`is data loss if an event is ${what} too`, async () => {
      const story = await withStore((client) => tell(client, true));
      inFile(`${damage(story.stream)} UPDATE conversations SET snapshot = zeroblob(9)`);
      await withStore(async (client) => {
        await expect(client.load({ by: { case: 'conversationId', value: story.id } })).rejects.toEqual(lost);
        await expect(client.append(story.approved())).rejects.toEqual(lost);
      });
    });
});

test('a conversation whose messages could not be told from those of others is refused', async () => {
  const parts = openParts(dataDir);
  const [last, beyond] = [new Story(), new Story()];
  const add = (story: Story, position: number) => {
    const stream = parseStreamName(story.stream);
    const facts = story.created().events.map((event) => recordedFact(event, stream, 1));
    parts.projection.begin().add(stream, facts, position);
  };
  expect(messageKey(conversationKeyMax, messagesPerConversationMax)).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
  expect(() => add(last, conversationKeyMax)).not.toThrow();
  expect(() => add(beyond, conversationKeyMax + 1)).toThrow(expect.objectContaining({ kind: 'resource_exhausted' }));
  await parts.close();
});

describe('what the log as a whole has lost', () => {
  const ofStream = (stream: string) => `(SELECT id FROM streams WHERE name = '${stream}')`;
  /** What is found in a stopped file, by the reader that `stopgo verify` opens. */
  const found = async () => {
    const { service, stop } = await openReadOnly({ dataDir, log: silent });
    try {
      return (await createInProcessClient(store.StoreService, service).verifyLog({})).problems;
    } finally {
      await stop();
    }
  };
  const tool = (name: string) => {
    const definition = fact('toolDefined', { pin: name, definitionJson: '{}' });
    return { stream: `tool-${name}`, expectedRevision: 0, events: eventsOf(definition), idempotencyKey: 'once' };
  };
  /** Two tools, a conversation of one event, a third tool: positions 1 to 4. */
  const tellAll = () =>
    withStore(async (client) => {
      const story = new Story();
      for (const append of [tool('a'), tool('b'), story.created(), tool('c')]) await client.append(append);
      return story;
    });

  test('a stream that is gone with all of its rows leaves a gap in the positions', async () => {
    await tellAll();
    expect(await found()).toEqual([]);
    for (const table of ['appends', 'events']) inFile(`DELETE FROM ${table} WHERE stream <= ${ofStream('tool-b')}`);
    inFile("DELETE FROM streams WHERE name IN ('tool-a', 'tool-b')");
    expect(await found()).toEqual(['positions 1 to 2 of the log are missing: 2 events were removed']);
  });

  test('the last stream shows by how far the views have seen the log', async () => {
    await tellAll();
    for (const table of ['appends', 'events']) inFile(`DELETE FROM ${table} WHERE stream = ${ofStream('tool-c')}`);
    inFile("DELETE FROM streams WHERE name = 'tool-c'");
    expect(await found()).toEqual([
      'the views have seen the log up to position 4, and it ends at 3: its end was cut off',
    ]);
  });

  test('a conversation that is gone is still in the views', async () => {
    const { stream } = await tellAll();
    for (const table of ['appends', 'events']) inFile(`DELETE FROM ${table} WHERE stream = ${ofStream(stream)}`);
    inFile(`DELETE FROM streams WHERE name = '${stream}'`);
    expect(await found()).toEqual([
      'position 3 of the log is missing: an event was removed',
      `${stream}: the views show this conversation, and its events are gone`,
    ]);
  });

  test('so is who is told of it', async () => {
    const { id } = await tellAll();
    const configured = fact('pushConfigured', { conversationId: id, configId: 'c', url: 'https://a.example' });
    await withStore((client) =>
      client.append({ stream: `push-${id}`, expectedRevision: 0, events: eventsOf(configured), idempotencyKey: 'p' }),
    );
    for (const table of ['appends', 'events']) inFile(`DELETE FROM ${table} WHERE stream = ${ofStream(`push-${id}`)}`);
    inFile(`DELETE FROM streams WHERE name = 'push-${id}'`);
    expect(await found()).toContainEqual(
      `push-${id}: the views show who is told of this conversation, and these events are gone`,
    );
  });

  test('where a name has lost its events, an append is refused in words, and the others go on', async () => {
    await tellAll();
    inFile(`DELETE FROM events WHERE stream = ${ofStream('tool-b')}`);
    await withStore(async (client) => {
      await expect(client.append(tool('b'))).rejects.toMatchObject({
        kind: 'failed_precondition',
        message: expect.stringMatching(/^the events of tool-b are gone from the log, .* run `stopgo verify`/),
      });
      expect((await client.append(tool('d'))).outcome.case).toBe('appended');
    });
  });

  test.each([
    [
      'a name without events',
      `DELETE FROM events WHERE stream = ${ofStream('tool-b')}`,
      'tool-b: it is in the list of streams, and all of its events are gone from the log',
    ],
    [
      'events without a name',
      "DELETE FROM streams WHERE name = 'tool-b'",
      'tool-b: it has events, the first at position 2, and is gone from the list of streams',
    ],
    [
      'idempotency keys alone',
      `DELETE FROM events WHERE stream = ${ofStream('tool-b')}; DELETE FROM streams WHERE name = 'tool-b'`,
      'stream number 2: it has idempotency keys, and its events and its name are gone',
    ],
  ])('%s', async (_, sql, problem) => {
    await tellAll();
    inFile(sql);
    const gap = sql.includes('FROM events') ? ['position 2 of the log is missing: an event was removed'] : [];
    expect(await found()).toEqual([...gap, problem]);
  });
});
