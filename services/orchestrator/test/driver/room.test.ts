import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { Room } from '../../src/driver/handle/room.ts';

const aborted = () => new AbortController();

test('who wants more than is free waits for its turn, and nobody who came later is let in before', async () => {
  const room = new Room(10);
  const { signal } = aborted();
  const order: string[] = [];
  const first = await room.take(6, signal);
  const large = room.take(8, signal).then((release) => {
    order.push('large');
    return release;
  });
  const small = room.take(1, signal).then(() => order.push('small'));
  first();
  const release = await large;
  await small;
  expect(order).toEqual(['large', 'small']);
  release();
});

test('who gives up leaves its place to the next', async () => {
  const room = new Room(10);
  const waiting = aborted();
  const release = await room.take(10, aborted().signal);
  const gone = room.take(10, waiting.signal);
  const next = room.take(10, aborted().signal);
  waiting.abort(new Error('canceled'));
  await expect(gone).rejects.toThrow('canceled');
  release();
  expect(await next).toBeTypeOf('function');
});

test('leaves nothing on a signal that outlives many requests', async () => {
  const room = new Room(10);
  const { signal } = aborted();
  for (let turn = 0; turn < 20; turn++) (await room.take(1, signal))();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
