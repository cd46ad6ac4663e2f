import { expect, test } from 'vitest';
import { workOf } from '../src/policy/cel-check.ts';

const tooMuch = 'what it is about is too large for it';

// A part counts once, and once more for each 4 KiB; one that compares counts for each value besides. At most a million.
test.each<[string, Parameters<typeof workOf>[0], Parameters<typeof workOf>[1], string | undefined]>([
  ['few values that are compared', { parts: [10], comparing: [2] }, { values: 499_990, bytes: 0 }, undefined],
  ['too many of them', { parts: [10], comparing: [2] }, { values: 500_000, bytes: 0 }, tooMuch],
  ['long texts', { parts: [500], comparing: [] }, { values: 1, bytes: 4_096 * 1_999 }, undefined],
  ['too long ones', { parts: [500], comparing: [] }, { values: 1, bytes: 4_096 * 2_000 }, tooMuch],
  ['a loop over a few', { parts: [1, 10], comparing: [0, 1] }, { values: 200, bytes: 0 }, undefined],
  ['a loop that compares each with all', { parts: [1, 10], comparing: [0, 5] }, { values: 1_000, bytes: 0 }, tooMuch],
])('the work of a predicate over %s', (_, cost, sizes, expected) => {
  expect(workOf(cost, sizes)).toBe(expected);
});
