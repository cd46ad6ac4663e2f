// The thread that writes ends at any moment of a transaction: before it has begun, in the midst, and once it is on disk, before that is
// heard of.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseStreamName } from '@stopgo/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AlternatingWriterParts } from '../src/adapters/sqlite/alternating-writer.ts';
import { CommitThread, threadProgram } from '../src/adapters/sqlite/commit-thread.ts';
import { openDatabase, text } from '../src/adapters/sqlite/database.ts';
import { commitThreadsMax } from '../src/bounds.ts';
import type { RecordedEvent, StreamAppend } from '../src/event-log.ts';
import { byThread, freshDirectory, openParts } from './sqlite-log.ts';
import { Story } from './story.ts';

type Moment = 'before it begins' | 'before its commit' | 'before it is heard of';

/** Starts threads, each of which ends in its transaction of this number, at this moment of it. */
function ending(number: number, moment: Moment): NonNullable<AlternatingWriterParts['startThread']> {
  const [begin, commit] = ["database.exec('BEGIN IMMEDIATE');", "database.exec('COMMIT');"];
  const end = `if ((globalThis.jobs = (globalThis.jobs ?? 0) + 1) === ${number}) process.exit();`;
  const changes: Readonly<Record<Moment, readonly [string, string]>> = {
    'before it begins': [begin, end + begin],
    'before its commit': [commit, end + commit],
    'before it is heard of': [commit, commit + end],
  };
  const [from, to] = changes[moment];
  expect(threadProgram.split(from)).toHaveLength(2);
  const program = threadProgram.replace(from, to);
  return (file, place, settings) => new CommitThread(file, place, settings, program);
}

let dataDir: string;
beforeEach(() => {
  dataDir = freshDirectory();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const open = (startThread?: AlternatingWriterParts['startThread']) =>
  openParts(dataDir, undefined, undefined, undefined, byThread, undefined, startThread);
const appendOf = (append: ReturnType<Story['created']>): StreamAppend => ({
  ...append,
  stream: parseStreamName(append.stream),
  requestDigest: '',
});

test('what a thread had on disk when it ended reaches those who follow, in its place', async () => {
  const { events, close } = open(ending(2, 'before it is heard of'));
  const stop = new AbortController();
  const story = new Story();
  await events.append(appendOf(story.created()));
  const all = events.subscribe(0, '', stop.signal);
  const one = events.follow(parseStreamName(story.stream), 1, stop.signal);
  const take = async (from: AsyncGenerator<RecordedEvent, void>) => (await from.next()).value?.position;
  expect([await take(all), await take(one)]).toEqual([1n, 1n]);
  const waiting = [take(all), take(one)];

  const unheard = appendOf(story.asked('create it'));
  await expect(events.append(unheard)).rejects.toMatchObject({ kind: 'unavailable' });
  await events.append(appendOf(new Story().created()));

  expect(await Promise.all(waiting)).toEqual([2n, 2n]);
  const last = unheard.events.length + 2;
  const rest: unknown[] = [];
  while (rest.at(-1) !== BigInt(last)) rest.push(await take(all));
  expect(rest).toEqual(Array.from({ length: last - 2 }, (_, index) => BigInt(index + 3)));
  expect((await events.append(unheard)).kind).toBe('duplicate');
  stop.abort();
  await close();
});

test.each<Moment>(['before it begins', 'before its commit', 'before it is heard of'])(
  'of a thread that ends in a transaction, %s: nothing acknowledged is lost, and what is repeated is there once',
  async (moment) => {
    let started = 0;
    const start = ending(4, moment);
    const { events, close } = open((...all) => {
      started += 1;
      return start(...all);
    });
    const acknowledged: StreamAppend[] = [];
    const repeated = new Set<string>();
    const untilAcknowledged = async (append: StreamAppend): Promise<void> => {
      for (let isAgain = false; ; isAgain = true) {
        try {
          const { kind } = await events.append(append);
          if (isAgain) repeated.add(kind);
          acknowledged.push(append);
          return;
        } catch (error) {
          expect(error).toMatchObject({ kind: 'unavailable' });
        }
      }
    };
    const write = async () => {
      const story = new Story();
      const appends = [story.created(), ...story.turn(), ...story.turn(), ...story.turn()];
      for (const append of appends) await untilAcknowledged(appendOf(append));
    };
    await Promise.all(Array.from({ length: 12 }, write));
    expect(started).toBe(commitThreadsMax);
    expect(repeated).toEqual(new Set([moment === 'before it is heard of' ? 'duplicate' : 'appended']));
    await close();
    await expectOnce(acknowledged);
  },
);

/** The log holds these appends, each once, and nothing else; its file is sound. */
async function expectOnce(appends: readonly StreamAppend[]): Promise<void> {
  const { events, close } = open();
  for (const { stream, idempotencyKey, expectedRevision, events: appended } of appends)
    expect(await events.keys(stream, [idempotencyKey])).toMatchObject([
      { firstRevision: expectedRevision + 1, lastRevision: expectedRevision + appended.length },
    ]);
  expect(await events.lastPosition()).toBe(appends.reduce((sum, one) => sum + one.events.length, 0));
  await close();
  const file = openDatabase(join(dataDir, 'stopgo.db'), 'read');
  expect(file.all('PRAGMA integrity_check', (row) => text(row, 0))()).toEqual(['ok']);
  file.close();
}
