import { rmSync } from 'node:fs';
import { parseStreamName } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SqlDatabase, SqlValue } from '../src/adapters/sqlite/database.ts';
import { Deltas } from '../src/deltas.ts';
import { Instances } from '../src/instances.ts';
import { storeService } from '../src/service.ts';
import { freshDirectory, openParts } from './sqlite-log.ts';
import { Story } from './story.ts';

/** Counts what passes between the store and its file. */
class Counts {
  reads = 0;
  writes = 0;
  commits = 0;
  bytesWritten = 0;

  wrap = (database: SqlDatabase): SqlDatabase => ({
    ...database,
    exec: (sql) => {
      if (sql === 'COMMIT') this.commits += 1;
      database.exec(sql);
    },
    run: (sql) => {
      const run = database.run(sql);
      return (...values) => {
        this.writes += 1;
        this.bytesWritten += values.reduce((sum: number, value) => sum + sizeOf(value), 0);
        return run(...values);
      };
    },
    one: (sql, read) => this.#reading(database.one(sql, read)),
    all: (sql, read) => this.#reading(database.all(sql, read)),
  });

  /** What some work took. */
  async of(work: () => Promise<unknown>) {
    const { reads, writes, commits, bytesWritten } = this;
    await work();
    return {
      reads: this.reads - reads,
      writes: this.writes - writes,
      commits: this.commits - commits,
      bytesWritten: this.bytesWritten - bytesWritten,
    };
  }

  #reading<T>(read: (...parameters: readonly SqlValue[]) => T) {
    return (...parameters: readonly SqlValue[]): T => {
      this.reads += 1;
      return read(...parameters);
    };
  }
}

function sizeOf(value: SqlValue): number {
  if (value instanceof Uint8Array) return value.byteLength;
  return typeof value === 'string' ? Buffer.byteLength(value) : 8;
}

let dataDir: string;
let counts: Counts;
let parts: ReturnType<typeof openParts>;
let client: ReturnType<typeof connect>;
const connect = () => {
  const { events: log, views, blobs } = parts;
  const more = { deltas: new Deltas(), instances: new Instances(true, () => 0), openStreamsMax: 9 };
  return createInProcessClient(store.StoreService, storeService({ log, views, blobs, ...more }));
};

beforeEach(() => {
  dataDir = freshDirectory();
  counts = new Counts();
  parts = openParts(dataDir, undefined, counts.wrap);
  client = connect();
});
afterEach(async () => {
  await parts.close();
  rmSync(dataDir, { recursive: true });
});

/** What the services ask for in a turn that stops for an approval and goes on. */
async function tell(story: Story): Promise<void> {
  for (const append of story.turn()) {
    await client.append(append);
    const by = { case: 'conversationId', value: story.id } as const;
    if (append.events.length === 1) await client.load({ by: { case: 'approvalId', value: story.approvalId } });
    else await client.load({ by, idempotencyKeys: [append.idempotencyKey] });
    await client.readTicket({ conversationId: story.id, runId: story.runId, callId: 'root#1.0' });
  }
}

describe('what the store may do, counted', () => {
  test('in a turn that stops and goes on: no read but of keys and of an approval id that is new', async () => {
    const story = new Story();
    await client.append(story.created());
    await tell(story);
    const keysAsked = 4;
    const { bytesWritten, ...turn } = await counts.of(() => tell(story));
    // Events, the appends themselves, the checkpoint of each commit; one row of the conversation for each, five messages with their
    // words, and the approval twice.
    expect(turn).toEqual({ reads: keysAsked + 1, writes: 13 + 6 + 6 + 6 + 2 * 5 + 2, commits: 6 });
    expect(bytesWritten).toBeLessThan(17_000);
  });

  test('in a turn of many that come together: one commit for all, one checkpoint, one row of each conversation', async () => {
    const stories = Array.from({ length: 20 }, () => new Story());
    await Promise.all(stories.map((story) => client.append(story.created())));
    const asked = await counts.of(() => Promise.all(stories.map((story) => client.append(story.asked('create it')))));
    const { length } = stories;
    const messages = 1;
    expect(asked).toMatchObject({ reads: 0, commits: 1, writes: length * (3 + 1 + 1 + 2 * messages) + 1 });
  });

  test('in a list: two reads for a page, one for the counts, and one for each approval that waits', async () => {
    const stories = Array.from({ length: 30 }, () => new Story());
    for (const story of stories) {
      await client.append(story.created());
      await client.append(story.asked('create it'));
      await client.append(story.stopped());
    }
    const { reads, writes } = await counts.of(() => client.listConversations({ limit: 20 }));
    expect({ reads, writes }).toEqual({ reads: 23, writes: 0 });
  });

  test('for whoever follows a stream: nothing while it is up to date', async () => {
    const story = new Story();
    await client.append(story.created());
    const over = new AbortController();
    const followed: number[] = [];
    const following = (async () => {
      for await (const _ of parts.events.follow(parseStreamName(story.stream), 1, over.signal)) followed.push(1);
    })();
    await expect.poll(() => followed.length).toBe(1);
    const alone = await counts.of(() => client.append(story.asked('create it')));
    await expect.poll(() => followed.length).toBe(4);
    expect(alone.reads).toBe(0);
    over.abort();
    await following;
  });
});
