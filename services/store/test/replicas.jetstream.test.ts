import { parseStreamName, unavailable } from '@stopgo/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SqlDatabase } from '../src/adapters/sqlite/database.ts';
import type { EventLog } from '../src/event-log.ts';
import { verifyStream } from '../src/verify.ts';
import { append, Fleet, never, rowsOf, stream, tell, textOf } from './jetstream-fleet.ts';
import { connectTo, type Replica, type ReplicaOptions, replaceStream } from './jetstream-log.ts';
import { describeWithNats } from './nats-server.ts';
import { Story } from './story.ts';
import { TcpProxy } from './tcp-proxy.ts';

/** The same log, which answers a read so late that others have appended meanwhile. */
function slow(log: EventLog): EventLog {
  return {
    append: (...request) => log.append(...request),
    async read(...request) {
      const page = await log.read(...request);
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
      return page;
    },
    head: (...request) => log.head(...request),
    keys: (...request) => log.keys(...request),
    allKeys: (...request) => log.allKeys(...request),
    readAll: (...request) => log.readAll(...request),
    lastPosition: () => log.lastPosition(),
    streams: (...request) => log.streams(...request),
    follow: (...request) => log.follow(...request),
    subscribe: (...request) => log.subscribe(...request),
    differences: (...request) => log.differences(...request),
    lost: (...request) => log.lost(...request),
  };
}

/** A file that takes long for each transaction. */
function slowToCommit(database: SqlDatabase): SqlDatabase {
  return {
    ...database,
    exec(sql) {
      const until = performance.now() + (sql === 'COMMIT' ? 400 : 0);
      while (performance.now() < until);
      database.exec(sql);
    },
  };
}

describeWithNats('replicas over JetStream', () => {
  let fleet: Fleet;
  const open = (options?: Partial<ReplicaOptions>) => fleet.open(options);
  beforeEach(async () => {
    fleet = await Fleet.start();
  });
  const wires: TcpProxy[] = [];
  const wired = async (options?: Partial<ReplicaOptions>): Promise<[Replica, TcpProxy]> => {
    const wire = await TcpProxy.to(Number(new URL(fleet.server.url).port));
    wires.push(wire);
    return [await open({ ...options, url: `nats://127.0.0.1:${wire.port}` }), wire];
  };
  afterEach(async () => {
    await fleet.remove();
    for (const wire of wires.splice(0)) await wire.close();
  });

  test('a log that was replaced while the connection was lost: followers end, and the views are made anew', async () => {
    let failures = 0;
    const wrap: ReplicaOptions['wrap'] = (database) => ({
      ...database,
      exec(sql) {
        if (failures > 0 && sql.startsWith('DROP TABLE') && failures-- > 0)
          throw unavailable('the disk does not answer');
        database.exec(sql);
      },
    });
    const [[a, wire], b] = [await wired({ wrap }), await open()];
    failures = 2;
    await tell(b.events, new Story(), 3);
    await a.views.caughtUp(never);
    const followed = (async () => {
      for await (const _ of a.events.follow(stream, 1, never));
    })();
    wire.refuse(true);
    await b.end();
    await replaceStream(fleet.server.url);
    const c = await open();
    for (const turns of [2, 3]) await tell(c.events, new Story(), turns);
    wire.refuse(false);
    await expect(followed).rejects.toMatchObject({ kind: 'unavailable' });
    await expect.poll(() => rowsOf(a), { timeout: 20_000 }).toEqual(await rowsOf(c));
    expect(await a.events.append(append(0, 'new'))).toMatchObject({ kind: 'appended' });
    expect(await rowsOf(a)).toEqual(await rowsOf(c));
    // It ends before what was read from it now, and nobody lost a connection.
    await c.end();
    await replaceStream(fleet.server.url);
    const d = await open();
    await tell(d.events, new Story(), 1);
    await expect.poll(() => rowsOf(a), { timeout: 20_000 }).toEqual(await rowsOf(d));
  });

  test('a replica that is far behind and gets on has its feed begun once, however many wait for it', async () => {
    const a = await open();
    for (let n = 0; n < 600; n++) await a.events.append(append(n, `${n}`));
    const connection = await connectTo(fleet.server.url);
    const begun = connection.subscribe('$JS.API.CONSUMER.CREATE.>');
    await connection.flush();
    const slow = await open({ url: fleet.server.url, wrap: slowToCommit, isReady: false });
    const ready = slow.ready();
    const waiting: Promise<void>[] = [];
    for (let commit = 0; commit < 50 && slow.views.position() < a.views.position(); commit++) {
      waiting.push(slow.views.caughtUp(new AbortController().signal));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.allSettled(waiting);
    await ready;
    await connection.flush();
    // A machine that stands still for a second looks like a feed that does.
    expect(begun.getReceived()).toBeLessThanOrEqual(3);
    await connection.close();
  });

  test('two replicas append to one stream at once: no gap, one chain, each acknowledged append once', async () => {
    const [a, b] = [await open(), await open()];
    const acked: string[] = [];
    const write = async (log: EventLog, who: string) => {
      let expected = 0;
      for (let n = 0; n < 150; ) {
        const outcome = await log.append(append(expected, `${who} ${n}`));
        expect(outcome.kind).not.toBe('duplicate');
        if (outcome.kind === 'conflict') expect(outcome.unseen).toHaveLength(outcome.revision - expected);
        else acked[outcome.revision - 1] = `${who} ${n++}`;
        expected = outcome.revision;
      }
    };
    await Promise.all([write(a.events, 'a'), write(a.events, 'a too'), write(b.events, 'b')]);
    for (const { events, views } of [a, b]) {
      const page = await events.read(stream, 1, 1_000);
      expect(page.events.map((one) => one.revision)).toEqual(Array.from({ length: 450 }, (_, n) => n + 1));
      expect(page.events.map((one) => textOf(one.event))).toEqual(acked);
      expect(await verifyStream(events, views, stream, never)).toMatchObject({ events: 450, problems: [] });
    }
    expect(await rowsOf(a)).toEqual(await rowsOf(b));
  });

  test('the same append through both replicas at once is recorded once', async () => {
    const [a, b] = [await open(), await open()];
    for (let revision = 0; revision < 40; revision++) {
      const once = append(revision, `${revision}`);
      const kinds = (await Promise.all([a, b].map(({ events }) => events.append(once)))).map(({ kind }) => kind);
      expect(kinds.sort()).toEqual(['appended', 'duplicate']);
    }
    expect((await a.events.read(stream, 1, 100)).events.map((one) => textOf(one.event))).toEqual(
      Array.from({ length: 40 }, (_, n) => `${n}`),
    );
  });

  test('what one replica acknowledged, another shows at once: by id, by stream, by key', async () => {
    const [a, b] = [await open(), await open()];
    for (let round = 0; round < 60; round++) {
      const story = new Story();
      const created = { ...story.created(), requestDigest: '' };
      const name = parseStreamName(created.stream);
      await a.events.append({ ...created, stream: name });
      if (round % 3 === 0) {
        await b.views.caughtUp(never);
        expect(b.views.view(story.id)?.head?.revision).toBe(1);
        expect(await b.events.keys(name, [created.idempotencyKey])).toHaveLength(1);
      } else if (round % 3 === 1) expect((await b.events.read(name, 1, 10)).headRevision).toBe(1);
      else expect(await b.events.append({ ...created, stream: name })).toMatchObject({ kind: 'duplicate' });
    }
  });

  test('a replica that is behind appends where another stood, and sees what it missed in a conflict', async () => {
    const [[a, wire], b] = [await wired(), await open()];
    await a.events.append(append(0, '0'));
    wire.answers('hold');
    for (let n = 1; n < 30; n++) await b.events.append(append(n, `${n}`));
    const stale = a.events.append(append(1, 'stale'));
    const ahead = a.events.append(append(30, 'ahead'));
    wire.answers('pass');
    const conflict = await stale;
    expect(conflict.kind === 'conflict' && conflict.unseen.map(textOf)).toEqual(
      Array.from({ length: 29 }, (_, n) => `${n + 1}`),
    );
    expect(await ahead).toMatchObject({ kind: 'appended', revision: 31 });
  });

  test('a replica that was cut off comes back, shows all, and its followers miss nothing', async () => {
    const [[a, wire], b] = [await wired(), await open()];
    await b.events.append(append(0, '0'));
    const got: string[] = [];
    const following = (async () => {
      for await (const event of a.events.follow(stream, 1, never)) if (got.push(textOf(event)) === 200) return;
    })();
    await expect.poll(() => got.length).toBe(1);
    for (let n = 1; n < 200; n++) {
      if (n === 20) wire.refuse(true);
      if (n === 100) wire.refuse(false);
      if (n === 130) wire.answers('swallow');
      if (n === 170) wire.cut();
      await b.events.append(append(n, `${n}`));
    }
    await following;
    expect(got).toEqual(Array.from({ length: 200 }, (_, n) => `${n}`));
    expect(await rowsOf(a)).toEqual(await rowsOf(b));
  });

  test('messages that come again and again are taken in once, in order', async () => {
    const applied: number[] = [];
    const a = await open({ observe: (one) => void (one.kind === 'commit' && applied.push(one.appends)) });
    const b = await open();
    const stories = Array.from({ length: 6 }, () => new Story());
    const telling = Promise.all(stories.map((story) => tell(b.events, story, 4)));
    const isBack = () =>
      a.views.caughtUp(never).then(
        () => true,
        () => false,
      );
    for (let round = 0; round < 4; round++) {
      await a.link.connection.reconnect();
      await expect.poll(isBack, { timeout: 10_000 }).toBe(true);
    }
    await telling;
    await a.views.caughtUp(never);
    await expect.poll(() => a.database.inTransaction()).toBe(false);
    expect(applied.reduce((sum, one) => sum + one, 0)).toBe(6 * 25);
    expect(await rowsOf(a)).toEqual(await rowsOf(b));
    for (const story of stories)
      expect((await verifyStream(a.events, a.views, parseStreamName(story.stream), never)).problems).toEqual([]);
  });

  test('views made from nothing are those that followed, row by row', async () => {
    const [a, b] = [await open(), await open()];
    await Promise.all(Array.from({ length: 12 }, (_, n) => tell((n % 2 === 0 ? a : b).events, new Story(), 3)));
    await Promise.all([a, b].map(({ views }) => views.caughtUp(never)));
    const fresh = await open();
    expect(await rowsOf(fresh)).toEqual(await rowsOf(a));
    expect(await rowsOf(b)).toEqual(await rowsOf(a));
    // A replica that was away for a while goes on from where it stood.
    await b.end();
    await tell(a.events, new Story(), 2);
    const back = await open({ dataDir: b.dataDir });
    expect(await rowsOf(back)).toEqual(await rowsOf(a));
  });

  test('a verification finds nothing wrong while another replica appends', async () => {
    const [a, b] = [await open(), await open()];
    const story = new Story();
    const name = parseStreamName(story.stream);
    let told = false;
    const telling = tell(a.events, story, 30).then(() => {
      told = true;
    });
    let seen = 0;
    while (!told) {
      const { events, problems } = await verifyStream(slow(b.events), b.views, name, never);
      expect(problems).toEqual([]);
      expect(events).toBeGreaterThanOrEqual(seen);
      seen = events;
    }
    await telling;
    expect(await verifyStream(b.events, b.views, name, never)).toMatchObject({ events: story.revision, problems: [] });
  });

  test('ten thousand streams: appended, listed, and made anew from nothing', async () => {
    const a = await open();
    const names = Array.from({ length: 10_000 }, (_, n) => parseStreamName(`tool-${String(n).padStart(5, '0')}`));
    for (let from = 0; from < names.length; from += 500)
      await Promise.all(
        names.slice(from, from + 500).map((name) => a.events.append(append(0, name, { stream: name }))),
      );
    const fresh = await open();
    expect(await fresh.events.streams('tool-', 'tool-08999', 1_000)).toEqual(names.slice(9_000));
    expect(await rowsOf(fresh)).toEqual(await rowsOf(a));
    expect((await fresh.events.readAll(0, 1_000)).length).toBeGreaterThan(500);
  }, 60_000);
});
