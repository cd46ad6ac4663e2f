import { expect, test } from 'vitest';
import { Backoff } from '../src/backoff.ts';
import { bridgeBounds } from '../src/bounds.ts';

test('pauses double from half a second to half a minute, and start again after a minute of uptime', () => {
  const longest = new Backoff(bridgeBounds, () => 1);
  const pauses = Array.from({ length: 8 }, () => longest.next(0));
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(longest.next(59_999)).toBe(30_000);
  expect(longest.next(60_000)).toBe(500);
});

test('jitter takes off up to half of a pause', () => {
  const shortest = new Backoff(bridgeBounds, () => 0);
  expect([shortest.next(0), shortest.next(0)]).toEqual([250, 500]);
});
