import { expect, test } from 'vitest';
import { StreamChanges } from '../src/adapters/sqlite/stream-changes.ts';
import { aloneChangesMax, aloneMs } from '../src/bounds.ts';

test('one appender is alone, also if it goes from one conversation to the next', () => {
  const changes = new StreamChanges();
  for (let now = 0; now < 200; now += 1) {
    changes.appended(`conversation ${Math.floor(now / 10)}`, now);
    expect(changes.isAlone(now)).toBe(true);
  }
});

test('several at once are not, until all but one have been quiet for a while', () => {
  const changes = new StreamChanges();
  for (let now = 0; now < 10; now += 1) changes.appended(`conversation ${now % 2}`, now);
  expect(changes.isAlone(9)).toBe(false);
  const oldest = 9 - aloneChangesMax;
  for (let now = 10; now <= oldest + aloneMs; now += 1) {
    changes.appended('conversation 1', now);
    expect(changes.isAlone(now), `${now}`).toBe(false);
  }
  expect(changes.isAlone(oldest + aloneMs + 1)).toBe(true);
});
