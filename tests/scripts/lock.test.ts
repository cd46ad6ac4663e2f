import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Clone, freshClone } from './clone.ts';

let clone: Clone;
beforeEach(() => {
  clone = freshClone();
});
afterEach(() => clone.remove());

const PROCESSES = 4;
const TURNS = 150;

/** Takes the lock again and again as fast as it can; whoever is inside with somebody else fails at the exclusive create. */
const CONTENDER = `
import { rmSync, writeFileSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { withLock } from './scripts/lock.mjs';
const inside = async () => {
  writeFileSync('inside', '', { flag: 'wx' });
  await breathe();
  rmSync('inside');
};
for (let turn = 0; turn < ${TURNS}; turn++) await withLock('locks/one', () => {}, inside, 1);
`;

test('only one process is inside a lock at a time, and everybody gets in', async () => {
  clone.write('contender.mjs', CONTENDER);
  const all = await Promise.all(Array.from({ length: PROCESSES }, () => clone.node(['contender.mjs'])));
  expect(all).toEqual(Array.from({ length: PROCESSES }, () => ({ code: 0, stdout: '', stderr: '' })));
});
