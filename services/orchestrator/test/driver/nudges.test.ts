import { getEventListeners, getMaxListeners } from 'node:events';
import { systemClock } from '@stopgo/log';
import { expect, test } from 'vitest';
import { Nudges } from '../../src/driver/delegations/nudges.ts';
import { quiet } from './errands.ts';
import { HandClock } from './one-driver.ts';

function nudged(lookAt: () => Promise<unknown> = async () => undefined) {
  const clock = new HandClock();
  const over = new AbortController();
  const [looks, faults]: [string[], string[]] = [[], []];
  const nudges = new Nudges(
    (conversationId, messageId) => {
      looks.push(`${conversationId} ${messageId}`);
      return lookAt();
    },
    { clock, signal: over.signal, onFault: (error, where) => faults.push(`${where}: ${error}`) },
  );
  const flood = (message = 'm') => {
    for (let count = 0; count < 1_000; count += 1) nudges.nudge('c', message);
  };
  return { clock, over, looks, faults, nudges, flood };
}

test('of a task one look at a time, one a second, and none after the last call but one', async () => {
  const { clock, looks, flood } = nudged();
  flood();
  expect(looks).toEqual(['c m']);
  flood('other');
  expect(looks).toEqual(['c m', 'c other']);
  await quiet();
  await clock.pass(999);
  expect(looks).toHaveLength(2);
  await clock.pass(1);
  expect(looks).toHaveLength(4);
  for (let second = 0; second < 5; second += 1) await quiet().then(() => clock.pass(1_000));
  expect(looks).toHaveLength(4);
  flood();
  expect(looks).toHaveLength(5);
});

test('a look that takes long is followed by one more, not by as many as were asked for', async () => {
  const hung: (() => void)[] = [];
  const { clock, looks, flood } = nudged(() => new Promise<void>((resolve) => hung.push(resolve)));
  flood();
  for (let second = 0; second < 5; second += 1) await quiet().then(() => clock.pass(1_000));
  expect(looks).toHaveLength(1);
  hung[0]?.();
  await quiet().then(() => clock.pass(1_000));
  expect(looks).toHaveLength(2);
});

test('what fails is told, and looked at again; who stops looks no more', async () => {
  const { clock, over, looks, faults, nudges, flood } = nudged(() => Promise.reject(new Error('no store')));
  flood();
  await quiet().then(() => clock.pass(1_000));
  expect([looks.length, faults[0]]).toEqual([2, 'looking at a task of conversation c: Error: no store']);
  over.abort();
  await quiet();
  nudges.nudge('c', 'm');
  expect(looks).toHaveLength(2);
});

test('who asks for more tasks than can be looked at is not heard', () => {
  const { looks, nudges } = nudged();
  for (let task = 0; task < 2_000; task += 1) nudges.nudge('c', `m${task}`);
  expect(looks).toHaveLength(1_024);
});

test('many looks that pause at the same time listen once to the signal that is shared, and end with it', async () => {
  const over = new AbortController();
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  let asleep = 0;
  const sleep: typeof systemClock.sleep = (ms, signal) => {
    asleep += 1;
    return systemClock.sleep(ms, signal).finally(() => {
      asleep -= 1;
    });
  };
  const nudges = new Nudges(async () => undefined, {
    clock: { ...systemClock, sleep },
    signal: over.signal,
    onFault: () => undefined,
  });
  for (let count = 0; count < 50; count += 1) nudges.nudge('c', `m${count}`);
  await quiet();
  await new Promise((resolve) => setImmediate(resolve));
  expect(getEventListeners(over.signal, 'abort')).toHaveLength(1);
  // Nobody raised its limit to keep the warning away; what the limit is depends on the version of Node.
  expect(getMaxListeners(over.signal)).toBe(getMaxListeners(new AbortController().signal));
  expect(asleep).toBe(50);
  over.abort();
  await quiet();
  expect(asleep).toBe(0);
  process.off('warning', warned);
  expect(getEventListeners(over.signal, 'abort')).toEqual([]);
  expect(warnings).toEqual([]);
});
