import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import {
  chainHash,
  chainStart,
  conversationStream,
  dataLoss,
  parseStreamName,
  type StreamName,
  unavailable,
} from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { afterEach, expect, test } from 'vitest';
import { encodeAppend, loggedAppend, subjectOf } from '../src/adapters/jetstream/batch-message.ts';
import { StreamIndex } from '../src/adapters/jetstream/index-tables.ts';
import { Messages } from '../src/adapters/jetstream/messages.ts';
import { Pipeline } from '../src/adapters/jetstream/pipeline.ts';
import { prepareViewsFile } from '../src/adapters/jetstream/views-file.ts';
import { integer, type SqlDatabase, text } from '../src/adapters/sqlite/database.ts';
import { openViewsFile } from '../src/adapters/sqlite/file.ts';
import { HotConversations } from '../src/adapters/sqlite-views/hot-conversations.ts';
import { SqliteProjection } from '../src/adapters/sqlite-views/projection.ts';
import { viewTables } from '../src/adapters/sqlite-views/view-tables.ts';
import { aheadAppendsMax } from '../src/bounds.ts';
import { LiveEvents } from '../src/live-events.ts';
import { encodeEnvelope, recordedFact } from '../src/recorded.ts';
import { keepingLog } from './log-lines.ts';
import { freshDirectory, silent } from './sqlite-log.ts';
import { Story } from './story.ts';

/** What the driver throws. */
const driverError = (code: string) => Object.assign(new Error(code), { code });

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A pipeline over a file of its own, which nobody else feeds. */
function freshPipeline(wrap = (database: SqlDatabase) => database, log: Logger = silent) {
  const dataDir = freshDirectory();
  const file = openViewsFile(dataDir);
  const [database, close] = [wrap(file.database), file.close];
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
    ...{ database, index, projection, messages, live: new LiveEvents(), log },
    observe: (one) => void (one.kind === 'commit' && commits.push(one.appends)),
  });
  tables.onLateFailure((error) => pipeline.lateFailure(error));
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
  /** Of the conversations that are shown. */
  const revisions = () =>
    new Map(
      database.all(
        'SELECT id, revision FROM conversations',
        (row) => [conversationStream(text(row, 0)), integer(row, 1)] as const,
      )(),
    );
  return { pipeline, rows, commits, onDisk, revisions, tables, index };
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

test('an append of ours is answered before it is taken in', async () => {
  const { pipeline } = freshPipeline();
  for (const { own } of toldByTurns(1).slice(0, 1)) pipeline.own(own);
  // When the answer that is ready by now is written.
  await new Promise((resolve) => setImmediate(resolve));
  expect(pipeline.applied).toBe(0);
  await pipeline.reached(1);
  expect(pipeline.applied).toBe(1);
});

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

test('a feed that is behind is not held up by what came ahead of the message that it is to bring', async () => {
  const [told] = toldByTurns(1);
  if (told === undefined) throw new Error('no story');
  const { pipeline } = freshPipeline();
  const missing = 3;
  const mine = (sequence: number) => ({ ...told.own, append: { ...told.own.append, sequence } });
  for (let sequence = missing + 1; sequence <= missing + aheadAppendsMax; sequence++) pipeline.own(mine(sequence));
  // What it brings first is applied already, or is before what is missing.
  for (let sequence = 1; sequence <= missing; sequence++) await pipeline.received({ ...told.message, sequence });
  await pipeline.reached(missing + aheadAppendsMax);
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

/** A file that fails at the commits of these numbers, with what its disk says. */
function failingAtCommit(numbers: readonly number[]) {
  let commits = 0;
  return (database: SqlDatabase): SqlDatabase => ({
    ...database,
    exec(sql) {
      // The first two make the tables.
      if (sql === 'COMMIT' && numbers.includes(++commits - 2))
        throw unavailable('the disk is full', {}, { cause: Object.assign(new Error('full'), { code: 'SQLITE_FULL' }) });
      database.exec(sql);
    },
  });
}

test('a transaction that comes to nothing is applied again, and all that it took in', async () => {
  const all = toldByTurns(3);
  const plain = freshPipeline();
  for (const { message } of all) await plain.pipeline.received(message);
  await plain.pipeline.reached(all.length);
  await plain.onDisk();
  const { pipeline, rows, commits, onDisk } = freshPipeline(failingAtCommit([1, 2, 4]));
  for (const part of [all.slice(0, 20), all.slice(20)]) {
    for (const { own } of part) {
      pipeline.own(own);
      // Each is shown before the next comes, and one transaction takes in several.
      await pipeline.reached(own.append.sequence);
    }
    await expect.poll(() => commits.reduce((sum, one) => sum + one, 0)).toBe(part.at(-1)?.message.sequence);
    await onDisk();
  }
  expect(pipeline.applied).toBe(all.length);
  expect(commits.length).toBeLessThan(all.length / 2);
  expect(rows()).toEqual(plain.rows());
});

test('a transaction that the file has ended by itself is applied again, and nothing is written outside of one', async () => {
  const all = toldByTurns(3);
  const plain = freshPipeline();
  for (const { message } of all) await plain.pipeline.received(message);
  await plain.pipeline.reached(all.length);
  await plain.onDisk();
  let end = (): void => undefined;
  let isWatched = false;
  const outside: string[] = [];
  const watching = (database: SqlDatabase): SqlDatabase => {
    // As after a read that met a failure of the disk.
    end = () => database.exec('ROLLBACK');
    return {
      ...database,
      run(sql) {
        const run = database.run(sql);
        return (...parameters) => {
          if (isWatched && !database.inTransaction()) outside.push(sql);
          return run(...parameters);
        };
      },
    };
  };
  const { pipeline, rows, commits, onDisk } = freshPipeline(watching);
  isWatched = true;
  for (const { own } of all) {
    pipeline.own(own);
    await pipeline.reached(own.append.sequence);
  }
  expect(commits).toEqual([]);
  end();
  await expect.poll(() => commits.reduce((sum, one) => sum + one, 0)).toBe(all.length);
  await onDisk();
  expect(outside).toEqual([]);
  expect(rows()).toEqual(plain.rows());
});

test('what is defeated in a transaction harms its own stream only, whatever else the transaction took in', async () => {
  const all = toldByTurns(3);
  const guilty = all[20]?.own.append;
  const defeating = (database: SqlDatabase): SqlDatabase => ({
    ...database,
    run(sql) {
      const run = database.run(sql);
      return (...parameters) => {
        if (sql.startsWith('INSERT INTO appends') && parameters[5] === guilty?.sequence)
          throw new TypeError('a defect');
        return run(...parameters);
      };
    },
  });
  const { pipeline, onDisk, revisions } = freshPipeline(defeating);
  for (const { own } of all) {
    pipeline.own(own);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await pipeline.reached(all.length);
  await onDisk();
  const whole = all.map(({ own }) => own.append).filter((append) => append.stream !== guilty?.stream);
  expect(revisions()).toEqual(new Map(whole.map((append) => [append.stream, append.lastRevision])));
});

test('a row whose conversation contradicts another harms its own stream only, though it is written last', async () => {
  const all = toldByTurns(3);
  const guilty = all[1]?.own.append.stream ?? '';
  const contradicting = (database: SqlDatabase): SqlDatabase => ({
    ...database,
    run(sql) {
      const run = database.run(sql);
      return (...parameters) => {
        if (sql.startsWith('INSERT INTO conversations') && guilty.endsWith(String(parameters[1])))
          throw dataLoss('it contradicts', {}, { cause: driverError('SQLITE_CONSTRAINT') });
        return run(...parameters);
      };
    },
  });
  const { log, lines } = keepingLog();
  const { pipeline, revisions } = freshPipeline(contradicting, log);
  for (const { own } of all) {
    pipeline.own(own);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // It was shown, but not written: now one message after the other is.
  const whole = all.map(({ own }) => own.append).filter((append) => append.stream !== guilty);
  await expect.poll(revisions).toEqual(new Map(whole.map((append) => [append.stream, append.lastRevision])));
  // The file is not to blame.
  expect(lines.join()).not.toContain('tried again');
});

test('a reader that finds a full disk has all of the transaction taken back at once, and later all of it is there', async () => {
  let full = true;
  const filling = (database: SqlDatabase): SqlDatabase => ({
    ...database,
    run(sql) {
      const run = database.run(sql);
      return (...parameters) => {
        if (!full || !sql.startsWith('INSERT INTO conversations')) return run(...parameters);
        // As SQLite does it.
        database.exec('ROLLBACK');
        throw unavailable('no room', {}, { cause: driverError('SQLITE_FULL') });
      };
    },
  });
  const all = toldByTurns(2);
  const plain = freshPipeline();
  for (const { own } of all) plain.pipeline.own(own);
  await plain.pipeline.reached(all.length);
  await plain.onDisk();
  const { pipeline, tables, index, rows, onDisk } = freshPipeline(filling);
  for (const { own } of all) pipeline.own(own);
  await pipeline.reached(all.length);
  const stream = all[0]?.own.append.stream ?? parseStreamName('conversation-x');
  expect(index.head(stream)).toBeDefined();
  expect(() => tables.counts()).toThrow(
    expect.objectContaining({ kind: 'unavailable', retryAfterMs: 1_000, cause: expect.anything() }),
  );
  // Neither the index nor the views speak of what is gone.
  expect([pipeline.applied, index.head(stream), tables.counts()]).toEqual([0, undefined, []]);
  full = false;
  await pipeline.reached(all.length);
  await onDisk();
  expect(rows()).toEqual(plain.rows());
});

test('what was taken in is on disk when the pipeline closes', async () => {
  const [{ message } = { message: undefined }] = toldByTurns(1);
  const { pipeline, rows, commits } = freshPipeline();
  if (message !== undefined) await pipeline.received(message);
  await pipeline.reached(1);
  expect(commits).toEqual([]);
  pipeline.close();
  expect(commits).toEqual([1]);
  expect(
    rows()
      .slice(0, 3)
      .map((table) => table.length),
  ).toEqual([1, 1, 1]);
});
