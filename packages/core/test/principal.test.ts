import { expect, test } from 'vitest';
import { anonymous, anonymousPrincipal, principalKey } from '../src/index.ts';

test('nobody in particular has the key that is meant where the record names none', () => {
  expect(principalKey(anonymous)).toBe(anonymousPrincipal);
});
