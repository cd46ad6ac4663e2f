import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { abortsWithin } from '@stopgo/runtime';
import { afterEach, expect, test, vi } from 'vitest';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

afterEach(() => void vi.restoreAllMocks());

/** Nothing but the wait knows of the signal. */
function waits(ms: number, ...others: AbortSignal[]): Promise<unknown> {
  const signal = abortsWithin(ms, ...others);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));
}

/** The wait is over long before its limit. */
function waitedFor(other: AbortSignal): WeakRef<AbortSignal> {
  const signal = abortsWithin(60_000, other);
  const listener = () => undefined;
  signal.addEventListener('abort', listener);
  signal.removeEventListener('abort', listener);
  return new WeakRef(signal);
}

test('a limit holds, however often the garbage is collected before it', async () => {
  const ends = Array.from({ length: 10 }, () => waits(200, new AbortController().signal));
  for (let times = 0; times < 3; times += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
  }
  for (const reason of await Promise.all(ends)) expect(reason).toMatchObject({ name: 'TimeoutError' });
});

test('a limit that nobody waits for any more is gone with the garbage, however far off it is', async () => {
  const [set, cleared] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  const other = new AbortController();
  const made = Array.from({ length: 10 }, () => waitedFor(other.signal));
  const timers = set.mock.results.map(({ value }) => value);
  for (let times = 0; times < 3; times += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
  }
  // What is to be done about what was collected is done a turn later.
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(timers).toHaveLength(10);
  expect(cleared.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(timers));
  expect(made.filter((limit) => limit.deref() !== undefined)).toEqual([]);
});

test('a limit that has passed has passed for whoever looks only later, however often the garbage was collected', async () => {
  const limits = Array.from({ length: 10 }, () => abortsWithin(100, new AbortController().signal));
  for (let times = 0; times < 3; times += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
  }
  await new Promise((resolve) => setTimeout(resolve, 150));
  collectGarbage();
  for (const { aborted, reason } of limits) expect([aborted, reason.name]).toEqual([true, 'TimeoutError']);
});

test('a limit does not keep its process running', () => {
  const set = vi.spyOn(globalThis, 'setTimeout');
  abortsWithin(60_000);
  expect(set.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
});

test('what aborts before the limit is what it aborts with', async () => {
  const other = new AbortController();
  const end = waits(60_000, other.signal);
  other.abort(new Error('given up'));
  expect(await end).toMatchObject({ message: 'given up' });
});

test('what has aborted before is what it has aborted with from the start', () => {
  const signal = abortsWithin(60_000, new AbortController().signal, AbortSignal.abort(new Error('given up')));
  expect([signal.aborted, signal.reason.message]).toEqual([true, 'given up']);
});

test.each([-5, -0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31 - 0.5, 2 ** 31, 2 ** 32])(
  '%s ms is no limit',
  (ms) => {
    expect(() => abortsWithin(ms)).toThrow(RangeError);
    expect(() => abortsWithin(ms)).toThrow(`a limit has 0 to 2147483647 milliseconds, not ${ms}`);
  },
);

test('the shortest limit is over at once, the longest is not', async () => {
  const [shortest, longest] = [abortsWithin(0), abortsWithin(2 ** 31 - 1)];
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([shortest.aborted, longest.aborted]).toEqual([true, false]);
});
