import { expect, test } from 'vitest';
import { aheadMax, aheadMs, lastCallsMax, ServerPace, shortCallMs } from '../../src/bridges/server-pace.ts';

function paceAfter(...lengths: readonly number[]): ServerPace {
  const pace = new ServerPace();
  for (const ms of lengths) pace.ended(ms);
  return pace;
}

test('the next call may be begun behind a young one where calls have been short', () => {
  expect(shortCallMs).toBe(250);
  expect(paceAfter(1).ahead([0])).toBeGreaterThan(0);
  expect(paceAfter(shortCallMs - 1, 3).ahead([shortCallMs - 1])).toBe(1);
});

test('of a server that is not known yet nothing is said', () => {
  expect(paceAfter().ahead([0])).toBe(0);
});

test('a call that has run for long has none begun behind it, unless another one runs that is young', () => {
  expect(paceAfter(1).ahead([shortCallMs])).toBe(0);
  expect(paceAfter(1).ahead([60_000, shortCallMs])).toBe(0);
  expect(paceAfter(1).ahead([60_000, 5])).toBe(aheadMax);
});

test('a long call counts until so many short ones have come after it', () => {
  const pace = paceAfter(1, shortCallMs);
  for (let calls = 1; calls < lastCallsMax; calls += 1) {
    pace.ended(1);
    expect(pace.ahead([0])).toBe(0);
  }
  pace.ended(1);
  expect(pace.ahead([0])).toBeGreaterThan(0);
});

test('as many are begun ahead as the server answers in a while, one at least and a dozen at most', () => {
  expect([aheadMs, aheadMax]).toEqual([100, 12]);
  const aheadOf = (...lengths: readonly number[]) => paceAfter(...lengths).ahead([0]);
  expect([aheadOf(0), aheadOf(2), aheadOf(10), aheadOf(15, 25), aheadOf(200)]).toEqual([12, 12, 10, 5, 1]);
  // Two at once answer twice as many.
  expect(paceAfter(20).ahead([0, 0])).toBe(10);
});
