import { expect, test } from 'vitest';
import { lastCallsMax, ServerPace, shortCallMs } from '../../src/bridges/server-pace.ts';

function paceAfter(...lengths: readonly number[]): ServerPace {
  const pace = new ServerPace();
  for (const ms of lengths) pace.ended(ms);
  return pace;
}

test('the next call may be begun behind a young one where calls have been short', () => {
  expect(shortCallMs).toBe(250);
  expect(paceAfter(1).allowsAhead([0])).toBe(true);
  expect(paceAfter(shortCallMs - 1, 3).allowsAhead([shortCallMs - 1])).toBe(true);
});

test('of a server that is not known yet nothing is said', () => {
  expect(paceAfter().allowsAhead([0])).toBe(false);
});

test('a call that has run for long has none begun behind it, unless another one runs that is young', () => {
  expect(paceAfter(1).allowsAhead([shortCallMs])).toBe(false);
  expect(paceAfter(1).allowsAhead([60_000, shortCallMs])).toBe(false);
  expect(paceAfter(1).allowsAhead([60_000, 5])).toBe(true);
});

test('a long call counts until so many short ones have come after it', () => {
  const pace = paceAfter(1, shortCallMs);
  for (let calls = 1; calls < lastCallsMax; calls += 1) {
    pace.ended(1);
    expect(pace.allowsAhead([0])).toBe(false);
  }
  pace.ended(1);
  expect(pace.allowsAhead([0])).toBe(true);
});
