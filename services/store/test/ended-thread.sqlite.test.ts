// The thread that writes ends at any moment of a transaction: before it has begun, in the midst, and once it is on disk, before that is
// heard of.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Transferable, WorkerOptions } from 'node:worker_threads';
import { parseStreamName } from '@stopgo/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase, text } from '../src/adapters/sqlite/database.ts';
import { commitThreadsMax } from '../src/bounds.ts';
import type { RecordedEvent, StreamAppend } from '../src/event-log.ts';
import { byThread, freshDirectory, openParts } from './sqlite-log.ts';
import { Story } from './story.ts';

type Moment = 'before it begins' | 'before its commit' | 'before it is heard of';

/** When the thread ends in the next transaction that it is handed; undefined: not at all. How many have ended so. */
const fate = vi.hoisted(() => ({ moment: undefined as string | undefined, ended: 0 }));

vi.mock('node:worker_threads', async (original) => {
  const real = await original<typeof import('node:worker_threads')>();
  const end = (moment: Moment) => `if (job.moment === '${moment}') process.exit();`;
  const changes: readonly [string, string][] = [
    ["database.exec('BEGIN IMMEDIATE');", `${end('before it begins')} $&`],
    ["database.exec('COMMIT');", `${end('before its commit')} $& ${end('before it is heard of')}`],
  ];
  class MortalWorker extends real.Worker {
    constructor(program: string, options: WorkerOptions) {
      super(
        changes.reduce((text, [from, to]) => {
          expect(text.split(from)).toHaveLength(2);
          return text.replace(from, to);
        }, program),
        options,
      );
    }

    override postMessage(message: unknown, transfer?: readonly Transferable[]): void {
      const { moment } = fate;
      const isJob = typeof message === 'object' && moment !== undefined;
      if (isJob) [fate.moment, fate.ended] = [undefined, fate.ended + 1];
      super.postMessage(isJob ? { ...message, moment } : message, transfer);
    }
  }
  return { ...real, Worker: MortalWorker };
});

let dataDir: string;
beforeEach(() => {
  dataDir = freshDirectory();
  Object.assign(fate, { moment: undefined, ended: 0 });
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const openByThread = () => openParts(dataDir, undefined, undefined, undefined, byThread);
const appendOf = (append: ReturnType<Story['created']>): StreamAppend => ({
  ...append,
  stream: parseStreamName(append.stream),
  requestDigest: '',
});

test('what a thread had on disk when it ended reaches those who follow, in its place', async () => {
  const { events, close } = openByThread();
  const stop = new AbortController();
  const story = new Story();
  await events.append(appendOf(story.created()));
  const all = events.subscribe(0, '', stop.signal);
  const one = events.follow(parseStreamName(story.stream), 1, stop.signal);
  const take = async (from: AsyncGenerator<RecordedEvent, void>) => (await from.next()).value?.position;
  expect([await take(all), await take(one)]).toEqual([1n, 1n]);
  const waiting = [take(all), take(one)];

  fate.moment = 'before it is heard of';
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
    const { events, close } = openByThread();
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
    const writing = Promise.all(Array.from({ length: 12 }, write));
    for (let thread = 1; thread <= commitThreadsMax; thread += 1) {
      fate.moment = moment;
      await expect.poll(() => fate.ended, { interval: 1 }).toBe(thread);
    }
    await writing;
    expect(repeated).toEqual(new Set([moment === 'before it is heard of' ? 'duplicate' : 'appended']));
    await close();
    await expectOnce(acknowledged);
  },
);

/** The log holds these appends, each once, and nothing else; its file is sound. */
async function expectOnce(appends: readonly StreamAppend[]): Promise<void> {
  const { events, close } = openByThread();
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
