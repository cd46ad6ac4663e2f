import { isDeepStrictEqual } from 'node:util';

/** Something that a story claims and that is not so. */
export class Untrue extends Error {
  constructor(sentence, difference = '') {
    super(`it is not true that ${sentence}${difference}`);
  }
}

/** Claims in a sentence that something is what it should be; prints the sentence. Throws `Untrue` with both if it is not. */
export function holds(sentence, found, wanted) {
  if (!isDeepStrictEqual(found, wanted))
    throw new Untrue(sentence, `\n  found:  ${shown(found)}\n  wanted: ${shown(wanted)}`);
  console.log(`    ✓ ${sentence}`);
}

function shown(value) {
  return JSON.stringify(value, undefined, 2)?.replaceAll('\n', '\n  ') ?? String(value);
}
