import { expect, test } from 'vitest';
import { RecentStreams } from '../src/adapters/sqlite/recent-streams.ts';
import { gatherMsMax, gatherMsPerStream, recentMs, recentStreamsFew } from '../src/bounds.ts';

test('one appender is one of few, also if it goes from one conversation to the next, and waits for nobody', () => {
  const recent = new RecentStreams();
  for (let now = 0; now < 200; now += 1) {
    recent.appended(`conversation ${Math.floor(now / 10)}`, now);
    expect([recent.areFew(now), recent.gatherMs(now)]).toEqual([true, 0]);
  }
});

test('many at once are not few, until all but some have been quiet for a while', () => {
  const recent = new RecentStreams();
  const many = recentStreamsFew + 4;
  for (let index = 0; index < many; index += 1) recent.appended(`conversation ${index}`, index);
  expect([recent.areFew(many - 1), recent.gatherMs(many - 1)]).toEqual([false, many * gatherMsPerStream]);
  const lastOfMany = 4 - 1 + recentMs;
  expect(recent.areFew(lastOfMany)).toBe(false);
  expect([recent.areFew(lastOfMany + 1), recent.gatherMs(lastOfMany + 1)]).toEqual([true, 0]);
});

test('however many they are, a commit does not wait longer than a bound', () => {
  const recent = new RecentStreams();
  for (let index = 0; index < 1_000; index += 1) recent.appended(`conversation ${index}`, 0);
  expect(recent.gatherMs(0)).toBe(gatherMsMax);
});
