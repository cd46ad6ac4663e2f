import { rmSync } from 'node:fs';
import { parseStreamName } from '@stopgo/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commitTime } from '../src/adapters/sqlite/commit-time.ts';
import { SqliteEventLog } from '../src/adapters/sqlite/event-log.ts';
import { logTables } from '../src/adapters/sqlite/log-tables.ts';
import { writingAtOnce } from '../src/adapters/sqlite/transaction-writer.ts';
import { appendsPerCommitMax, gatherMsMax } from '../src/bounds.ts';
import type { Observation } from '../src/index.ts';
import { LiveEvents } from '../src/live-events.ts';
import { byThread, freshDirectory, openParts, silent } from './sqlite-log.ts';
import { Story } from './story.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = freshDirectory();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const appendOf = (append: ReturnType<Story['created']>) => ({
  ...append,
  stream: parseStreamName(append.stream),
  requestDigest: '',
});

test('an append that meets a defect fails alone: the others of its batch share one commit', async () => {
  const observed: Observation[] = [];
  const parts = openParts(dataDir);
  const guilty = new Story();
  const projection = {
    checkpoint: () => parts.projection.checkpoint(),
    moveTo: (checkpoint: number) => parts.projection.moveTo(checkpoint),
    forget: () => parts.projection.forget(),
    begin() {
      const batch = parts.projection.begin();
      const add = batch.add.bind(batch);
      batch.add = (stream, events, firstPosition) => {
        if (stream === guilty.stream) throw new TypeError('a defect');
        add(stream, events, firstPosition);
      };
      return batch;
    },
  };
  const { database, heads } = parts;
  const log = new SqliteEventLog({
    ...{ database, heads, projection, log: silent, checkPlace: () => undefined, time: commitTime },
    ...{ tables: logTables(database), writer: writingAtOnce(database), live: new LiveEvents() },
    observe: (one) => observed.push(one),
    disk: { failed: () => false },
  });
  const stories = [new Story(), guilty, ...Array.from({ length: 8 }, () => new Story())];
  const outcomes = await Promise.allSettled(
    stories.map((story) =>
      log.append({ ...story.created(), stream: parseStreamName(story.stream), requestDigest: '' }),
    ),
  );
  expect(outcomes.filter((one) => one.status === 'rejected')).toMatchObject([{ reason: { message: 'a defect' } }]);
  expect(observed.filter((one) => one.kind === 'commit')).toEqual([{ kind: 'commit', appends: 9, events: 9 }]);
  await log.close();
  await parts.close();
});

test('appends that came while others were written share the next commit', async () => {
  const commits: number[] = [];
  const parts = openParts(
    dataDir,
    (one) => one.kind === 'commit' && commits.push(one.appends),
    undefined,
    undefined,
    byThread,
  );
  const append = () => parts.events.append(appendOf(new Story().created()));
  const first = append();
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(commits).toEqual([]);
  const others = Array.from({ length: 5 }, append);
  await Promise.all([first, ...others]);
  expect(commits).toEqual([1, 5]);
  await parts.close();
});

describe('with many appenders at work', () => {
  const many = 40;
  /** Commits so far, by how many appends they hold. */
  let commits: number[];
  /** What was to be called after a time, and was not called off. */
  let due: Set<() => void>;
  /** How long each was held back, in milliseconds. */
  let heldMs: number[];
  let now: number;
  let parts: ReturnType<typeof openParts>;
  beforeEach(async () => {
    [commits, due, heldMs, now] = [[], new Set(), [], 0];
    const observe = (one: Observation) => one.kind === 'commit' && commits.push(one.appends);
    const after = (ms: number, call: () => void) => {
      heldMs.push(ms);
      due.add(call);
      return () => due.delete(call);
    };
    parts = openParts(dataDir, observe, undefined, undefined, undefined, { now: () => now, after });
    await Promise.all(Array.from({ length: many }, () => append()));
    commits.length = 0;
  });
  afterEach(() => parts.close());
  const append = () => parts.events.append(appendOf(new Story().created()));
  const turns = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };

  test('a commit is held back until its time, and shared', async () => {
    const first = append();
    await turns();
    const second = append();
    await turns();
    expect(commits).toEqual([]);
    for (const call of due) call();
    await Promise.all([first, second]);
    expect(commits).toEqual([2]);
  });

  test('it is held back until so long after the commit before it, and no longer', async () => {
    now = gatherMsMax - 1;
    const late = append();
    await turns();
    expect(heldMs).toEqual([1]);
    for (const call of due) call();
    await late;
    now += gatherMsMax;
    await append();
    expect(heldMs).toEqual([1]);
  });

  test('as many as one commit takes are not held back', async () => {
    const all = Array.from({ length: appendsPerCommitMax - 1 }, () => append());
    await turns();
    expect([commits, due.size]).toEqual([[], 1]);
    await Promise.all([...all, append()]);
    expect([commits, due.size]).toEqual([[appendsPerCommitMax], 0]);
  });

  test('nothing is left waiting when the store ends', async () => {
    const waiting = append();
    await turns();
    await parts.events.close();
    expect([(await waiting).kind, due.size]).toEqual(['appended', 0]);
  });
});
