import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chainHash, chainStart, parseStreamName, type StreamName } from '@stopgo/core';
import { afterEach, expect, test } from 'vitest';
import { encodeAppend, loggedAppend, subjectOf } from '../src/adapters/jetstream/batch-message.ts';
import { StreamIndex } from '../src/adapters/jetstream/index-tables.ts';
import { Messages } from '../src/adapters/jetstream/messages.ts';
import { Pipeline } from '../src/adapters/jetstream/pipeline.ts';
import { prepareViewsFile } from '../src/adapters/jetstream/views-file.ts';
import { openViewsFile } from '../src/adapters/sqlite/file.ts';
import { HotConversations } from '../src/adapters/sqlite-views/hot-conversations.ts';
import { SqliteProjection } from '../src/adapters/sqlite-views/projection.ts';
import { viewTables } from '../src/adapters/sqlite-views/view-tables.ts';
import { LiveEvents } from '../src/live-events.ts';
import { encodeEnvelope, recordedFact } from '../src/recorded.ts';
import { freshDirectory, silent } from './sqlite-log.ts';
import { Story } from './story.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A pipeline over a file of its own, which nobody else feeds. */
function freshPipeline() {
  const dataDir = freshDirectory();
  const { database, close } = openViewsFile(dataDir);
  prepareViewsFile(database, 'log', silent);
  const tables = viewTables(database);
  const hot = new HotConversations(tables, () => {
    throw new Error('no row is damaged here');
  });
  const index = new StreamIndex(database);
  const projection = new SqliteProjection(tables, hot);
  const nowhere = async () => undefined;
  const messages = new Messages({ message: nowhere, anyMessage: nowhere });
  const commits: number[] = [];
  const pipeline = new Pipeline({
    ...{ database, index, projection, messages, live: new LiveEvents(), log: silent },
    observe: (one) => void (one.kind === 'commit' && commits.push(one.appends)),
  });
  closing.push(() => {
    pipeline.close();
    close();
    rmSync(dataDir, { recursive: true });
  });
  const rows = () =>
    ['streams', 'appends', 'conversations', 'messages', 'approvals', 'views_meta', 'set_aside'].map((table) =>
      database.all(`SELECT * FROM ${table}`, (row) => JSON.stringify(row))(),
    );
  const onDisk = () => expect.poll(() => database.inTransaction()).toBe(false);
  return { pipeline, rows, commits, onDisk };
}

/** What the log gives for some conversations that are told by turns, in the order of sequences. */
function toldByTurns(conversations: number) {
  const tellers = Array.from({ length: conversations }, () => {
    const story = new Story();
    const stream: StreamName = parseStreamName(story.stream);
    return { stream, appends: [story.created(), ...story.turn(), ...story.turn()], hash: chainStart };
  });
  const rounds = tellers[0]?.appends.length ?? 0;
  const inOrder = Array.from({ length: rounds }, (_, round) => tellers.map((teller) => ({ teller, round }))).flat();
  return inOrder.map(({ teller, round }, at) => {
    const append = teller.appends[round];
    if (append === undefined) throw new Error('no such round');
    const first = append.expectedRevision + 1;
    const events = append.events.map((event, index) => {
      const envelope = encodeEnvelope(event, teller.stream, first + index);
      teller.hash = chainHash(teller.hash, envelope);
      return { envelope, hash: teller.hash };
    });
    const parts = { stream: teller.stream, firstRevision: first, key: randomUUID(), requestDigest: '', events };
    const data = encodeAppend(parts);
    const facts = append.events.map((event, index) => recordedFact(event, teller.stream, first + index));
    return {
      message: { subject: subjectOf(teller.stream), sequence: at + 1, data },
      own: {
        kind: 'own' as const,
        append: loggedAppend(parts, at + 1, data.byteLength),
        known: { facts, folded: undefined },
      },
    };
  });
}

test('our own appends ahead of their turn, and every message twice: applied once, in the order of the log', async () => {
  const all = toldByTurns(5);
  const plain = freshPipeline();
  for (const { message } of all) await plain.pipeline.received(message);
  await plain.pipeline.reached(all.length);
  await plain.onDisk();
  for (const mine of [0, 1, 2, 3, 4]) {
    const { pipeline, rows, commits, onDisk } = freshPipeline();
    const isMine = (at: number) => at % 5 === mine;
    for (const [at, { message, own }] of all.entries()) {
      // Acknowledged long before what others appended arrives.
      const ahead = all[at + 7];
      if (ahead !== undefined && isMine(at + 7)) pipeline.own(ahead.own);
      await new Promise((resolve) => setImmediate(resolve));
      expect(pipeline.applied).toBeLessThanOrEqual(at + (isMine(at) ? 1 : 0));
      await pipeline.received(message);
      await pipeline.received(message);
      if (isMine(at)) pipeline.own(own);
    }
    await pipeline.reached(all.length);
    await onDisk();
    expect(commits.reduce((sum, one) => sum + one, 0)).toBe(all.length);
    expect(rows()).toEqual(plain.rows());
  }
});

test('whoever waits for a message that does not come is told after a while, and when the pipeline closes', async () => {
  const { pipeline } = freshPipeline();
  const [first] = toldByTurns(1);
  await expect(pipeline.reached(1, 1)).rejects.toMatchObject({ kind: 'unavailable' });
  const waiting = [pipeline.reached(1), pipeline.reached(2, 60_000)];
  if (first !== undefined) await pipeline.received(first.message);
  await waiting[0];
  const ended = expect(waiting[1]).rejects.toMatchObject({ kind: 'unavailable' });
  pipeline.close();
  await ended;
});
