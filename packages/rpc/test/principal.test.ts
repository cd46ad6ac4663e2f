import { anonymousPrincipal } from '@stopgo/core';
import { expect, test } from 'vitest';
import { ANONYMOUS, principalKey } from '../src/index.ts';

test('nobody in particular has the key that is meant where the record names none', () => {
  expect(principalKey(ANONYMOUS)).toBe(anonymousPrincipal);
});
