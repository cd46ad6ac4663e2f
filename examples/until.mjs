import { setTimeout as pause } from 'node:timers/promises';
import { Untrue } from './holds.mjs';

/** How often it is looked, and the pause between two looks in milliseconds. */
const LOOKS_MAX = 600;
const LOOK_EVERY_MS = 100;

/** Looks until there is something to be seen, and gives it. Throws `Untrue` with the sentence if nothing comes within a minute. */
export async function until(sentence, look) {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await pause(LOOK_EVERY_MS);
  }
  throw new Untrue(sentence);
}
