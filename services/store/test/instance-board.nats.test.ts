import { StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, expect, test } from 'vitest';
import { beatKeptMs, electedMsMax, stuckMsMax } from '../src/adapters/nats/bounds.ts';
import { NatsInstanceBoard } from '../src/adapters/nats/instance-board.ts';
import type { OpenedLink } from '../src/adapters/nats/link.ts';
import type { InstanceBoard } from '../src/instance-board.ts';
import { beatOf, instanceBoardContract, question } from './instance-board.contract.ts';
import { checked, closeAll, closing, manage, server } from './nats-link.ts';
import { describeWithNats, type NatsServer, safe } from './nats-server.ts';
import { until } from './until.ts';

afterEach(closeAll);

function boardOn(link: OpenedLink, now = () => performance.now()): NatsInstanceBoard {
  const board = new NatsInstanceBoard({ link, stream: 'STOPGO', replicas: 1, replica: crypto.randomUUID(), now });
  closing.push(() => board.close());
  return board;
}

/** A replica of its own connection. */
async function replica(nats: NatsServer) {
  const { link } = await checked(nats);
  return { link, board: boardOn(link) };
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
    const { config } = await manage(nats, (manager) => manager.streams.info('KV_STOPGO_INSTANCES'));
    expect(config).toMatchObject({ storage: 'memory', max_msgs_per_subject: 1, max_msgs: 2_000, discard: 'old' });
    expect(config.max_age).toBe(beatKeptMs * 1_000_000);
  });

  test('a replica that comes later sees all that is there', async () => {
    const nats = await server();
    const { board } = await replica(nats);
    for (const id of ['a', 'b', 'c']) await board.beat(beatOf(id, 1));
    expect(await idsOf((await replica(nats)).board)).toEqual(['a', 'b', 'c']);
  });

  test('a bucket that takes nothing is thrown away after a while; a new one is left more time', async () => {
    const nats = await server();
    let now = 0;
    const board = boardOn((await checked(nats)).link, () => now);
    const isTaken = (counter: number) =>
      board.beat(beatOf('a', counter)).then(
        (posted) => posted.length === 1,
        () => false,
      );
    /** As without a leader: it is there, and nobody answers for it. */
    const stuck = () =>
      manage(nats, async ({ streams }) => {
        await streams.delete('KV_STOPGO_INSTANCES').catch(() => false);
        await streams.add({ name: 'KV_STOPGO_INSTANCES', subjects: ['nobody'], storage: StorageType.Memory });
      });
    await stuck();
    expect(await isTaken(1)).toBe(false);
    now += stuckMsMax - 1;
    expect(await isTaken(2)).toBe(false);
    now += 1;
    expect(await isTaken(3)).toBe(true);
    await stuck();
    for (const madeAt = now; now - madeAt < electedMsMax; now += 1_000) expect(await isTaken(now)).toBe(false);
    expect(await isTaken(now)).toBe(true);
  });

  test('one failure long ago is no reason to throw a bucket away', async () => {
    const nats = await server();
    let now = 0;
    const board = boardOn((await checked(nats)).link, () => now);
    const failure = async () => {
      await manage(nats, async ({ streams }) => {
        await streams.delete('KV_STOPGO_INSTANCES').catch(() => false);
        await streams.add({ name: 'KV_STOPGO_INSTANCES', subjects: ['nobody'], storage: StorageType.Memory });
      });
      await expect(board.beat(beatOf('a', 1))).rejects.toMatchObject({ kind: 'unavailable' });
    };
    await failure();
    now += 60_000;
    // The second could be thrown away by its time alone.
    await failure();
    const { created } = await manage(nats, ({ streams }) => streams.info('KV_STOPGO_INSTANCES'));
    await expect(board.beat(beatOf('a', 2))).rejects.toMatchObject({ kind: 'unavailable' });
    expect((await manage(nats, ({ streams }) => streams.info('KV_STOPGO_INSTANCES'))).created).toBe(created);
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
    const link = { connection, address: 'there', ask, onBack: () => () => undefined };
    const beat = boardOn(link as unknown as OpenedLink).beat(beatOf('a', 1));
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
      await manage(nats, (manager) => manager.streams.delete('KV_STOPGO_INSTANCES'));
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
