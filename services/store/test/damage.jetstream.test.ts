import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { chainHash, chainStart, parseStreamName, unavailable } from '@stopgo/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { encodeAppend, subjectOf } from '../src/adapters/jetstream/batch-message.ts';
import type { EventLog, RecordedEvent } from '../src/event-log.ts';
import { encodeEnvelope } from '../src/recorded.ts';
import { verifyStream } from '../src/verify.ts';
import { verifyLog } from '../src/verify-log.ts';
import { append, Fleet, never, rowsOf, stream, tell, textOf } from './jetstream-fleet.ts';
import { connectTo, type ReplicaOptions, replaceStream, streamName } from './jetstream-log.ts';
import { describeWithNats } from './nats-server.ts';
import { Story } from './story.ts';

/** The message of an append whose event this version cannot fold. */
async function newerAppend(log: EventLog, { stream: name, revision }: Story): Promise<Uint8Array> {
  const of = parseStreamName(name);
  const [event] = append(0, '').events;
  if (event === undefined) throw new Error('no event');
  const envelope = encodeEnvelope({ ...event, payload: new Uint8Array([255]) }, of, revision + 1);
  const hash = chainHash((await log.head(of))?.hash ?? chainStart, envelope);
  return encodeAppend({
    ...{ stream: of, firstRevision: revision + 1, key: 'newer', requestDigest: '' },
    events: [{ envelope, hash }],
  });
}

/** What the driver says when the disk does not answer. */
class NoDisk extends Error {
  readonly code = 'SQLITE_IOERR';
}

describeWithNats('damage over JetStream', () => {
  let fleet: Fleet;
  const open = (options?: Partial<ReplicaOptions>) => fleet.open(options);
  beforeEach(async () => {
    fleet = await Fleet.start();
  });
  afterEach(() => fleet.remove());

  test('a conversation that cannot be folded is set aside on every replica; all else goes on', async () => {
    const [a, b] = [await open(), await open()];
    const [unreadable, unfoldable, healthy] = [new Story(), new Story(), new Story()];
    for (const story of [unreadable, unfoldable, healthy]) await tell(a.events, story, 1);
    // Past the checks of this store: by a newer version of it, say.
    const connection = await connectTo(fleet.server.url);
    const publish = (name: string, data: Uint8Array) =>
      jetstream(connection).publish(subjectOf(parseStreamName(name)), data);
    await publish(unreadable.stream, new Uint8Array([1, 2, 3]));
    await publish(unfoldable.stream, await newerAppend(a.events, unfoldable));
    await connection.close();
    for (const { events, views, allSetAside } of [a, b]) {
      await views.caughtUp(never);
      const ids = [unreadable, unfoldable].map(({ id, revision }) => ({ conversationId: id, revision: revision + 1 }));
      expect(new Set(allSetAside(10).map(({ conversationId, revision }) => ({ conversationId, revision })))).toEqual(
        new Set(ids),
      );
      for (const { id, stream: name, revision } of [unreadable, unfoldable]) {
        expect(() => views.view(id)).toThrow(/was set aside/);
        const next = append(revision, 'x', { stream: parseStreamName(name) });
        await expect(events.append(next).then(({ kind }) => Promise.reject({ kind }))).rejects.toMatchObject({
          kind: id === unreadable.id ? 'data_loss' : 'conflict',
        });
      }
      // Nobody can tell what their events name.
      expect(views.isBlobNamed('ab'.repeat(32))).toBeUndefined();
      // The log itself is whole.
      const name = parseStreamName(unfoldable.stream);
      expect((await events.read(name, 1, 100)).headRevision).toBe(unfoldable.revision + 1);
      expect(views.view(healthy.id)?.head?.revision).toBe(healthy.revision);
      expect((await verifyStream(events, views, parseStreamName(healthy.stream), never)).problems).toEqual([]);
    }
    await tell(b.events, new Story(), 1);
    expect(await rowsOf(await open())).toEqual(await rowsOf(b));
  });

  test('a message that the log has lost is named, and holds nobody up', async () => {
    const a = await open();
    const [first, second] = [new Story(), new Story()];
    await tell(a.events, first, 1);
    await tell(a.events, second, 1);
    const connection = await connectTo(fleet.server.url);
    await (await jetstreamManager(connection)).streams.deleteMessage(streamName, 3);
    await connection.close();
    const fresh = await open();
    expect(fresh.allSetAside(10)).toMatchObject([{ conversationId: first.id, revision: 5 }]);
    expect(fresh.views.view(second.id)?.head?.revision).toBe(second.revision);
  });

  test('views of another log, or of a log that has lost its end, are made anew', async () => {
    const a = await open();
    await tell(a.events, new Story(), 1);
    await a.end();
    await replaceStream(fleet.server.url);
    const other = await open({ id: 'another-log' });
    await tell(other.events, new Story(), 2);
    const changed = await open({ dataDir: a.dataDir, id: 'another-log' });
    expect(await rowsOf(changed)).toEqual(await rowsOf(other));
    await Promise.all([other.end(), changed.end()]);
    await replaceStream(fleet.server.url);
    const emptied = await open({ dataDir: a.dataDir, id: 'another-log' });
    expect(emptied.views.counts().total).toBe(0);
    await tell(emptied.events, new Story(), 1);
    expect(emptied.views.counts().total).toBe(1);
  });

  test('a log that was restored and has grown past the views is not gone on with: they are made anew', async () => {
    const a = await open();
    await tell(a.events, new Story(), 1);
    await a.end();
    await replaceStream(fleet.server.url);
    const other = await open();
    for (const turns of [1, 2]) await tell(other.events, new Story(), turns);
    const again = await open({ dataDir: a.dataDir });
    expect(await rowsOf(again)).toEqual(await rowsOf(other));
  });

  test('verification misses neither what the index has lost nor what it has too much', async () => {
    const a = await open();
    const problems = async () => (await verifyStream(a.events, a.views, stream, never)).problems;
    for (const expected of [0, 1, 2]) await a.events.append(append(expected, `${expected}`));
    expect(await problems()).toEqual([]);
    const connection = await connectTo(fleet.server.url);
    await (await jetstreamManager(connection)).streams.deleteMessage(streamName, 2);
    await connection.close();
    expect(await problems()).toEqual(['events 2 to 2: this replica has them in message 2, which is not in the log']);
    await a.end();
    const b = await open({
      dataDir: a.dataDir,
      wrap: (database) => {
        database.exec('DELETE FROM appends WHERE first_revision > 1');
        return database;
      },
    });
    const found = (await verifyStream(b.events, b.views, stream, never)).problems;
    expect(found).toEqual(['events 3 to 3, message 3 of the log, are missing on this replica']);
  });

  test('a stream whose only message was deleted is told by every replica, as it sees it', async () => {
    const a = await open();
    const [story, next] = [new Story(), new Story()];
    await a.events.append(append(0, 'a definition'));
    await tell(a.events, story, 0);
    await tell(a.events, next, 0);
    const found = (replica: typeof a) => verifyLog(replica.events, replica.views, never);
    expect(await found(a)).toEqual([]);
    const connection = await connectTo(fleet.server.url);
    const manager = await jetstreamManager(connection);
    for (const sequence of [1, 2]) await manager.streams.deleteMessage(streamName, sequence);
    const gap = 'messages 1 to 2 of the log are missing: they were deleted, with all events in them';
    expect(await found(a)).toEqual([gap]);
    // Who starts anew has never seen it; who starts again knows where it was, and cannot read it.
    const fresh = await open();
    expect(await found(fresh)).toEqual([gap]);
    expect(await fresh.events.streams('', '', 9)).toEqual([next.stream]);
    await a.end();
    const again = await open({ dataDir: a.dataDir });
    const { events, problems } = await verifyStream(again.events, again.views, stream, never);
    expect({ events, problems }).toEqual({
      events: 0,
      problems: [
        'its events from 1 on cannot be read: message 1 of the event log is gone; restore the log from a backup',
        'events 1 to 1: this replica has them in message 1, which is not in the log',
      ],
    });
    await tell(again.events, new Story(), 0);
    await manager.streams.deleteMessage(streamName, 3);
    await tell(again.events, new Story(), 0);
    await manager.streams.deleteMessage(streamName, 5);
    await connection.close();
    expect(await found(again)).toEqual([
      'messages 1 to 3 of the log are missing: they were deleted, with all events in them',
      'message 5 of the log is missing: it was deleted, with all events in it',
    ]);
  });

  test('a conversation that a replica shows and that is gone from its index is told', async () => {
    const a = await open();
    const story = new Story();
    await tell(a.events, story, 0);
    // Its rows are in the file then.
    await rowsOf(a);
    await a.end();
    const b = await open({
      dataDir: a.dataDir,
      wrap: (database) => {
        database.exec('DELETE FROM appends');
        return database;
      },
    });
    expect(await verifyLog(b.events, b.views, never)).toEqual([
      `${story.stream}: the views show this conversation, and its events are gone`,
    ]);
  });

  test.each([
    ["request_digest = 'other'", 'have another request digest on this replica'],
    ["key = 'other'", 'have another idempotency key on this replica than "<key>"'],
  ])('verification names an append whose row says %s', async (change, problem) => {
    const a = await open();
    const appends = [0, 1, 2].map((expected) => append(expected, `${expected}`));
    for (const one of appends) await a.events.append(one);
    await a.end();
    const b = await open({
      dataDir: a.dataDir,
      wrap: (database) => {
        database.exec(`UPDATE appends SET ${change} WHERE first_revision = 2`);
        return database;
      },
    });
    expect((await verifyStream(b.events, b.views, stream, never)).problems).toEqual([
      `events 2 to 2, message 2 of the log, ${problem.replace('<key>', appends[1]?.idempotencyKey ?? '')}`,
    ]);
  });

  test('verification names what the search index of this replica lacks, also in the middle of a transaction', async () => {
    const a = await open();
    const story = new Story();
    await tell(a.events, story, 1);
    expect((await a.views.verifySearch(never)).problems).toEqual([]);
    await a.end();
    const b = await open({
      dataDir: a.dataDir,
      wrap: (database) => {
        database.exec(`INSERT INTO message_words (message_words) VALUES ('delete-all')`);
        return database;
      },
    });
    await tell(b.events, new Story(), 1);
    const { problems } = await b.views.verifySearch(never);
    expect(problems[0]).toBe(`conversation-${story.id}: message 1: the index lacks "be", "helpful"`);
    expect(problems.every((problem) => problem.startsWith(story.stream))).toBe(true);
  });

  test('a damaged row is made anew from the events, while the replica goes on', async () => {
    const a = await open();
    const story = new Story();
    await tell(a.events, story, 2);
    await a.end();
    const b = await open({
      dataDir: a.dataDir,
      wrap: (database) => {
        database.exec(`UPDATE conversations SET snapshot = x'00'`);
        return database;
      },
    });
    let appended = 0;
    const view = async () => {
      // In the middle of a transaction, that is.
      await b.events.append(append(appended++, 'meanwhile'));
      await b.views.caughtUp(never);
      expect(b.database.inTransaction()).toBe(true);
      try {
        return b.views.view(story.id)?.head?.revision;
      } catch (error) {
        expect(error).toMatchObject({ kind: 'unavailable' });
        return undefined;
      }
    };
    await expect.poll(view).toBe(story.revision);
    expect(await rowsOf(b)).toEqual(await rowsOf(await open()));
  });

  test('a replica whose file fails in the middle goes on from what it wrote, whole transactions only', async () => {
    let [commits, broken] = [0, false];
    const breaking = await open({
      wrap: (database) => ({
        ...database,
        exec(sql) {
          if (sql === 'COMMIT' && ++commits === 4) {
            broken = true;
            database.exec('ROLLBACK');
          }
          if (broken) throw unavailable('the disk is gone', {}, { cause: new NoDisk() });
          database.exec(sql);
        },
      }),
    });
    const a = await open();
    const story = new Story();
    const [followed, leave]: [RecordedEvent[], AbortController] = [[], new AbortController()];
    const following = (async () => {
      for await (const event of breaking.events.follow(parseStreamName(story.stream), 1, leave.signal))
        followed.push(event);
    })();
    // A transaction for each turn.
    for (let turn = 0; !broken; turn++) {
      for (const one of turn === 0 ? [story.created()] : story.turn())
        await a.events.append({ ...one, stream: parseStreamName(one.stream), requestDigest: '' });
      await expect.poll(() => breaking.database.inTransaction()).toBe(false);
    }
    leave.abort();
    await following;
    const written = breaking.database.one('SELECT max(last_revision) FROM appends', (row) => row[0])();
    expect(written).toBeGreaterThan(0);
    // What was shown before it was on disk is in the log all the same: each event once, in order.
    expect(followed.length).toBeGreaterThan(Number(written));
    const log = await a.events.read(parseStreamName(story.stream), 1, followed.length);
    expect(followed.map((one) => one.position)).toEqual(log.events.map((one) => one.event.position));
    // It still reaches the log, and what it acknowledges is true.
    expect(await breaking.events.append(append(0, 'acknowledged'))).toMatchObject({ kind: 'appended' });
    await breaking.end();
    const back = await open({ dataDir: breaking.dataDir });
    expect((await back.events.read(stream, 1, 10)).events.map((one) => textOf(one.event))).toEqual(['acknowledged']);
    expect(await rowsOf(back)).toEqual(await rowsOf(a));
    expect(await verifyStream(back.events, back.views, parseStreamName(story.stream), never)).toMatchObject({
      problems: [],
    });
  });
});
