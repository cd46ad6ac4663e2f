import { StorageType } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { unavailable } from '@stopgo/core';
import { afterEach, expect, test } from 'vitest';
import { beatKeptMs, electedMsMax, stuckMsMax } from '../src/adapters/nats/bounds.ts';
import { type BoardLink, NatsInstanceBoard } from '../src/adapters/nats/instance-board.ts';
import type { OpenedLink } from '../src/adapters/nats/link.ts';
import type { InstanceBoard } from '../src/instance-board.ts';
import { beatOf, instanceBoardContract, question } from './instance-board.contract.ts';
import { checked, closeAll, closing, manage, server } from './nats-link.ts';
import { describeWithNats, type NatsServer, safe } from './nats-server.ts';
import { until } from './until.ts';

afterEach(closeAll);

const bucket = 'KV_STOPGO_INSTANCES';

function boardOn(link: BoardLink, now = () => performance.now()): NatsInstanceBoard {
  const board = new NatsInstanceBoard({ link, stream: 'STOPGO', replicas: 1, replica: crypto.randomUUID(), now });
  closing.push(() => board.close());
  return board;
}

/** A replica of its own connection. */
async function replica(nats: NatsServer) {
  const { link } = await checked(nats);
  return { link, board: boardOn(link) };
}

/** Beats, and says whether the heartbeat was taken. */
function beatsOf(board: InstanceBoard): () => Promise<boolean> {
  let counter = 0;
  return () =>
    board.beat(beatOf('a', ++counter)).then(
      () => true,
      () => false,
    );
}

/** A bucket as one without a leader: it is there, and nobody answers for it. */
async function stick(nats: NatsServer): Promise<void> {
  await manage(nats, async ({ streams }) => {
    await streams.delete(bucket).catch(() => false);
    await streams.add({ name: bucket, subjects: ['nobody'], storage: StorageType.Memory });
  });
}

/** When the bucket that is there was made: no two have the same. */
async function madeAt(nats: NatsServer): Promise<string> {
  return (await manage(nats, ({ streams }) => streams.info(bucket))).created;
}

/** The same link, but for some of its parts. */
function linkWith(link: OpenedLink, parts: Partial<BoardLink>): BoardLink {
  const { connection, address } = link;
  const ask: BoardLink['ask'] = (request) => link.ask(request);
  return { connection, address, ask, onBack: (listener) => link.onBack(listener), ...parts };
}

/** The same connection, on which something happens after the answer to each request whose subject holds a word. */
function afterRequests(connection: NatsConnection, word: string, happens: () => Promise<void>): NatsConnection {
  const request: NatsConnection['request'] = async (subject, ...more) => {
    const answer = await connection.request(subject, ...more);
    if (subject.includes(word)) await happens();
    return answer;
  };
  return new Proxy(connection, {
    get(target, key) {
      const part: unknown = key === 'request' ? request : Reflect.get(target, key, target);
      return typeof part === 'function' ? part.bind(target) : part;
    },
  });
}

const idsOf = async (board: InstanceBoard) => (await board.beat(question)).map(({ instance }) => instance);

instanceBoardContract('in NATS, two replicas', describeWithNats, async () => {
  const nats = await server();
  const [one, other] = [(await replica(nats)).board, (await replica(nats)).board];
  return { one, other, close: async () => undefined };
});

describeWithNats('instance board in NATS', () => {
  test('is not complete, and lies in the memory of the server, bounded in number and time', async () => {
    const nats = await server();
    const { board } = await replica(nats);
    await board.beat(beatOf('a', 1));
    expect(board.complete).toBe(false);
    const { config } = await manage(nats, (manager) => manager.streams.info(bucket));
    expect(config).toMatchObject({ storage: 'memory', max_msgs_per_subject: 1, max_msgs: 2_000, discard: 'old' });
    expect(config.max_age).toBe(beatKeptMs * 1_000_000);
  });

  test('a replica that comes later sees all that is there', async () => {
    const nats = await server();
    const { board } = await replica(nats);
    for (const id of ['a', 'b', 'c']) await board.beat(beatOf(id, 1));
    expect(await idsOf((await replica(nats)).board)).toEqual(['a', 'b', 'c']);
  });

  test('a bucket that takes nothing is thrown away after a while; one that this replica has made is left more time', async () => {
    const nats = await server();
    let now = 0;
    const [beats, others] = [
      beatsOf(boardOn((await checked(nats)).link, () => now)),
      beatsOf(boardOn((await checked(nats)).link, () => now)),
    ];
    expect(await beats()).toBe(true);
    await stick(nats);
    for (const since = now; now - since < electedMsMax; now += 1_000) expect(await beats()).toBe(false);
    expect(await beats()).toBe(true);
    await stick(nats);
    expect(await others()).toBe(false);
    now += stuckMsMax - 1;
    expect(await others()).toBe(false);
    now += 1;
    expect(await others()).toBe(true);
  });

  test('a bucket that another replica made in the place of one that was thrown away is left the same time', async () => {
    const nats = await server();
    let now = 0;
    const { link } = await checked(nats);
    // The other is there between the two steps of this one, and its bucket has no leader either.
    const connection = afterRequests(link.connection, 'STREAM.DELETE', () => stick(nats));
    const beats = beatsOf(boardOn(linkWith(link, { connection }), () => now));
    await stick(nats);
    const first = await madeAt(nats);
    expect(await beats()).toBe(false);
    now += stuckMsMax;
    expect(await beats()).toBe(false);
    const second = await madeAt(nats);
    expect(second).not.toBe(first);
    for (const since = now; now - since < electedMsMax; now += 1_000) {
      expect(await beats()).toBe(false);
      expect(await madeAt(nats)).toBe(second);
    }
    await beats();
    expect(await madeAt(nats)).not.toBe(second);
  });

  test('what failed before a success, or before the connection was back, or for want of the server, does not count', async () => {
    const nats = await server();
    let now = 0;
    const { link } = await checked(nats);
    let isAway = false;
    let back: () => void = () => undefined;
    const board = boardOn(
      linkWith(link, {
        ask: (request) => (isAway ? Promise.reject(unavailable('NATS is away')) : link.ask(request)),
        onBack: (listener) => {
          back = listener;
          return () => undefined;
        },
      }),
      () => now,
    );
    const beats = beatsOf(board);
    const other = boardOn((await checked(nats)).link, () => now);
    /** Fails at two moments, the second of which is long enough after what does not count. */
    const isLeft = async () => {
      now += stuckMsMax - 1_000;
      const made = await madeAt(nats);
      expect(await beats()).toBe(false);
      now += 1;
      expect(await beats()).toBe(false);
      return (await madeAt(nats)) === made;
    };
    await stick(nats);
    expect(await beats()).toBe(false);
    now += 1_000;
    await manage(nats, ({ streams }) => streams.delete(bucket));
    await other.beat(beatOf('b', 1));
    expect(await beats()).toBe(true);
    await stick(nats);
    expect(await isLeft()).toBe(true);
    now += 999;
    back();
    expect(await isLeft()).toBe(true);
    now += 60_000;
    isAway = true;
    for (const since = now; now - since < 10_000; now += 1_000) expect(await beats()).toBe(false);
    isAway = false;
    expect(await isLeft()).toBe(true);
  });

  test('one failure long ago is no reason to throw a bucket away', async () => {
    const nats = await server();
    let now = 0;
    const beats = beatsOf(boardOn((await checked(nats)).link, () => now));
    await stick(nats);
    expect(await beats()).toBe(false);
    now += 60_000;
    const made = await madeAt(nats);
    // Without a look at the time between them, the first of these would have the second throw the bucket away.
    expect(await beats()).toBe(false);
    expect(await beats()).toBe(false);
    expect(await madeAt(nats)).toBe(made);
  });

  test('a failure to open the bucket that comes before its turn is heeded all the same', async () => {
    const connection = await connect({ servers: (await server({ ...safe, jetstream: undefined })).url });
    closing.push(() => connection.close());
    const unheeded: unknown[] = [];
    const note = (reason: unknown) => void unheeded.push(reason);
    process.on('unhandledRejection', note);
    closing.push(() => process.off('unhandledRejection', note));
    // As while a connection that is back is looked at: what was sent meanwhile is answered before.
    const ask: OpenedLink['ask'] = async (request) => {
      for (let round = 0; round < 3; round++) await connection.flush();
      await new Promise((resolve) => setImmediate(resolve));
      return request();
    };
    const beat = boardOn({ connection, address: 'there', ask, onBack: () => () => undefined }).beat(beatOf('a', 1));
    await expect(beat).rejects.toMatchObject({ kind: 'unavailable' });
    expect(unheeded).toEqual([]);
  });

  test('what is not renewed vanishes', async () => {
    const nats = await server();
    let now = 0;
    const board = boardOn((await checked(nats)).link, () => now);
    await board.beat(beatOf('a', 1));
    now = beatKeptMs;
    expect(await idsOf(board)).toEqual(['a']);
    await board.beat(beatOf('b', 1));
    now = beatKeptMs + 1;
    expect(await idsOf(board)).toEqual(['b']);
  });

  test('a server that is gone is told at once; back without its memory, the board heals by itself', async () => {
    const nats = await server();
    const [one, other] = [await replica(nats), await replica(nats)];
    for (let counter = 1; counter <= 5; counter++) await one.board.beat(beatOf('a', counter));
    await nats.kill();
    await until('the loss', () => !one.link.connected());
    await expect(one.board.beat(beatOf('a', 6))).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 1_000 });
    await nats.start();
    await until('the connections', () => one.link.connected() && other.link.connected());
    expect(await idsOf(other.board)).toEqual([]);
    await one.board.beat(beatOf('a', 7));
    expect(await other.board.beat(beatOf('b', 1))).toMatchObject([{ instance: 'a', counter: 7n }, { instance: 'b' }]);
    expect(await idsOf(one.board)).toEqual(['a', 'b']);
  });

  // As after the loss of the one server that held it, while the connections to others stay.
  test.each([1, 20])(
    'a bucket that is gone under a connection that stays is made anew (%i beats then)',
    async (beats) => {
      const nats = await server();
      const [one, other] = [await replica(nats), await replica(nats)];
      for (let counter = 1; counter <= 10; counter++) await one.board.beat(beatOf('a', counter));
      expect(await idsOf(other.board)).toEqual(['a']);
      await manage(nats, (manager) => manager.streams.delete(bucket));
      for (let counter = 1; counter <= beats; counter++) await other.board.beat(beatOf('b', counter));
      // The other has made it anew, and its revisions stand below or above what this one has seen of the old one.
      expect(await one.board.beat(beatOf('c', 1))).toMatchObject([
        { instance: 'b', counter: BigInt(beats) },
        { instance: 'c', counter: 1n },
      ]);
    },
  );

  test('a server that stands still is told within the bounds', async () => {
    const nats = await server();
    const { board } = await replica(nats);
    await board.beat(beatOf('a', 1));
    nats.freeze();
    await expect(board.beat(beatOf('a', 2))).rejects.toMatchObject({ kind: 'unavailable' });
    nats.thaw();
    // The connection may be given up all the same, and be back only then.
    await expect.poll(() => idsOf(board).catch(String), { timeout: 15_000 }).toEqual(['a']);
  });

  test('what a stranger puts into the bucket does no harm', async () => {
    const nats = await server();
    const { board, link } = await replica(nats);
    await board.beat(beatOf('a', 1));
    link.connection.publish('$KV.STOPGO_INSTANCES.beats.x', new Uint8Array([255, 255, 255]));
    link.connection.publish('$KV.STOPGO_INSTANCES.other', 'x');
    expect(await idsOf(board)).toEqual(['a']);
    expect(await idsOf((await replica(nats)).board)).toEqual(['a']);
  });
});
