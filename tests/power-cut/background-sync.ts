import { execFile } from 'node:child_process';
import type { Random } from '../simulation/world/random.ts';

const pauseMsMin = 5;
const pauseMsMax = 150;

/**
 * Syncs a whole file system again and again, as another program on the machine may. So files that nobody syncs, such as
 * the views beside a log in JetStream, reach the disk as they are at any moment, in the middle of a change too. Gives a
 * function that ends it.
 */
export function syncNowAndThen(folder: string, random: Random): () => Promise<void> {
  let isOver = false;
  const sync = async (): Promise<void> => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, random.between(pauseMsMin, pauseMsMax)));
      // It fails if the disk goes away meanwhile, which is then no loss.
      if (!isOver) await new Promise<void>((resolve) => execFile('sync', ['--file-system', folder], () => resolve()));
    }
  };
  const syncing = sync();
  return () => {
    isOver = true;
    return syncing;
  };
}
