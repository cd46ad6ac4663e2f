import { matchesAny, matchesGlob } from '@stopgo/core';
import { expect, test } from 'vitest';

test.each([
  ['read_file', 'read_file', true],
  ['read_file', 'read_files', false],
  ['read_*', 'read_file', true],
  ['read_*', 'read_', true],
  ['read_*', 'can_read_file', false],
  ['*_file', 'read_file', true],
  ['*_file', 'read_file_now', false],
  ['*', '', true],
  ['r*d*e', 'read_file', true],
  ['r*d*e', 'read_filed', false],
  ['?ead', 'read', true],
  ['?ead', 'ead', false],
  ['??', '🙂a', true],
  ['READ', 'read', false],
  ['a.c', 'abc', false],
  ['[ab]', 'a', false],
  ['**', 'a', true],
  ['', 'a', false],
  ['', '', true],
])('%j matches %j: %j', (pattern, name, matches) => {
  expect(matchesGlob(pattern, name)).toBe(matches);
});

test('one of several patterns is enough, and none is not', () => {
  expect(matchesAny(['a', 'b*'], 'bc')).toBe(true);
  expect(matchesAny([], 'bc')).toBe(false);
});

test('a pattern of many stars takes no time', () => {
  expect(matchesGlob(`${'a*'.repeat(60)}b`, 'a'.repeat(256))).toBe(false);
});
