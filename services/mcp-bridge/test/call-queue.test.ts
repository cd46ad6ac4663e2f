import { expect, test } from 'vitest';
import { CallQueue } from '../src/servers/call-queue.ts';

/** A task that ends when it is told to. */
function task(name: string, began: string[]) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = () => {
    began.push(name);
    return ended;
  };
  const finish = async () => {
    end();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { run, end: finish };
}

test('so many run at once as may, the others in the order they came', async () => {
  const began: string[] = [];
  const queue = new CallQueue(2, 10);
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => task(name, began));
  for (const one of [a, b, c, d]) queue.add(one!.run);
  expect(began).toEqual(['a', 'b']);
  expect([queue.running, queue.waiting]).toEqual([2, 2]);
  await b!.end();
  expect(began).toEqual(['a', 'b', 'c']);
  await a!.end();
  expect(began).toEqual(['a', 'b', 'c', 'd']);
});

test('a task that leaves while it waits makes room; one that runs cannot leave', async () => {
  const began: string[] = [];
  const queue = new CallQueue(1, 1);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => task(name, began));
  const leaveA = queue.add(a!.run);
  expect(queue.full).toBe(false);
  const leaveB = queue.add(b!.run);
  expect(queue.full).toBe(true);
  expect(leaveA()).toBe(false);
  expect(leaveB()).toBe(true);
  expect(queue.full).toBe(false);
  queue.add(c!.run);
  await a!.end();
  expect(began).toEqual(['a', 'c']);
});
