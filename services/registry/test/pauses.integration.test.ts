import { renameSync } from 'node:fs';
import { type Clock, systemClock } from '@stopgo/log';
import { expect, test } from 'vitest';
import { keptRepositories } from './support/kept-repositories.ts';
import { MemoryLog } from './support/memory-log.ts';
import { TestRepository } from './support/repository.ts';

const longestMs = 900_000;
const intervalMs = 3_600_000;

/** A clock whose sleeps end when they are told to; `slept`: how long each was to be. */
function handClock() {
  const slept: number[] = [];
  let wake: () => void = () => undefined;
  const clock: Clock = {
    ...systemClock,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        slept.push(ms);
        wake = resolve;
      }),
  };
  /** Ends the latest sleep; gives how long the next one is to be. */
  const next = async (): Promise<number | undefined> => {
    const before = slept.length;
    wake();
    await expect.poll(() => slept.length).toBe(before + 1);
    return slept.at(-1);
  };
  return { clock, slept, next };
}

test('a repository that is away is tried again after pauses that grow, keeps its agents, and is back at its interval at once', async () => {
  const source = new TestRepository();
  source.write('helper/prompt.md', '---\nname: Helper\ndescription: Helps\n---\nHelp.\n');
  source.commit('First');
  const { clock, slept, next } = handClock();
  const { find } = await keptRepositories(new MemoryLog(), source.folder, { configured: ['main'], clock });
  await expect.poll(() => slept).toEqual([intervalMs]);
  renameSync(source.folder, `${source.folder}-away`);
  const pauses: (number | undefined)[] = [];
  while (pauses.at(-1) !== longestMs && pauses.length < 20) pauses.push(await next());
  pauses.push(await next());
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900, 900].map((seconds) => seconds * 1_000));
  expect(find('helper')).toBe('Helps');
  renameSync(`${source.folder}-away`, source.folder);
  expect(await next()).toBe(intervalMs);
  renameSync(source.folder, `${source.folder}-away`);
  expect(await next()).toBe(5_000);
  renameSync(`${source.folder}-away`, source.folder);
});
