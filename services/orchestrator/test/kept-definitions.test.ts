import { expect, test } from 'vitest';
import { KeptDefinitions } from '../src/kept-definitions.ts';

const max = { count: 3, characters: 100 };
/** Which of these are kept still. */
const left = (kept: KeptDefinitions<string>, ...digests: readonly string[]) =>
  digests.filter((digest) => kept.get(digest) !== undefined);

test('definitions are kept as long as few are, those that were used last', () => {
  const kept = new KeptDefinitions<string>(max);
  for (const digest of ['a', 'b', 'c']) expect(kept.keep(digest, `is ${digest}`, 1)).toBe(`is ${digest}`);
  expect(kept.get('a')).toBe('is a');
  kept.keep('d', 'is d', 1);
  expect(left(kept, 'a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
});

test('large ones take the room of several, and one that is too large for all of it is kept alone', () => {
  const kept = new KeptDefinitions<string>(max);
  kept.keep('a', 'a', 40);
  kept.keep('b', 'b', 40);
  kept.keep('c', 'c', 20);
  expect(left(kept, 'a', 'b', 'c')).toEqual(['a', 'b', 'c']);
  kept.keep('d', 'd', 60);
  expect(left(kept, 'a', 'b', 'c', 'd')).toEqual(['c', 'd']);
  kept.keep('e', 'e', 500);
  expect(left(kept, 'c', 'd', 'e')).toEqual(['e']);
  // What is forgotten, and what is kept anew, counts no more.
  for (const digest of ['f', 'f', 'f', 'g']) kept.keep(digest, digest, 50);
  expect(left(kept, 'e', 'f', 'g')).toEqual(['f', 'g']);
});
