import { isDeepStrictEqual } from 'node:util';

/** What a story claimed and what was not so. */
export class Untrue extends Error {}

/** Claims in a sentence that something is what it should be; prints the sentence. Throws `Untrue` with both if it is not. */
export function holds(sentence, found, wanted) {
  if (!isDeepStrictEqual(found, wanted))
    throw new Untrue(`it is not true that ${sentence}\n  found:  ${shown(found)}\n  wanted: ${shown(wanted)}`);
  console.log(`    ✓ ${sentence}`);
}

function shown(value) {
  return JSON.stringify(value, undefined, 2)?.replaceAll('\n', '\n  ') ?? String(value);
}
