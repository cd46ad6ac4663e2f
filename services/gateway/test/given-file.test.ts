import { blobBytesMax, type Json } from '@stopgo/core';
import { expect, test } from 'vitest';
import { fileIn, identified } from '../src/given-file.ts';

const file = (base64: Json, more: object = {}) => ({
  file: { name: 'a.csv', media_type: 'text/csv', base64, ...more },
});

test('a file is read as it is, without a name or a type too', () => {
  expect(fileIn(file('aXRlbQ=='))).toEqual({ name: 'a.csv', mediaType: 'text/csv', bytes: Buffer.from('item') });
  expect(fileIn({ file: { base64: 'aXRlbQ==' } })).toMatchObject({ name: '', mediaType: '' });
  expect(fileIn({})).toBeUndefined();
});

test('the largest file is taken, and one that is larger is refused before it is decoded', () => {
  expect(fileIn(file(Buffer.alloc(blobBytesMax).toString('base64')))?.bytes).toHaveLength(blobBytesMax);
  // What is no base64 shows that nobody has looked into it.
  expect(() => fileIn(file('*'.repeat(Math.ceil(blobBytesMax / 3) * 4 + 1)))).toThrow(`at most ${blobBytesMax} bytes`);
});

test.each([
  ['a text instead of a file', { file: 'aXRlbQ==' }, '"file" must be an object'],
  ['a list', { file: [] }, '"file" must be an object'],
  ['no bytes', { file: { name: 'a.csv' } }, 'file.base64 must hold'],
  ['a number', file(1), 'file.base64 must hold'],
  ['a line break in it', file('aXRl\nbQ=='), 'no base64'],
  ['no padding', file('aXRlbQ'), 'no base64'],
  ['letters of addresses', file('_-__'), 'no base64'],
  ['an address', file('aXRlbQ==', { url: 'https://shop.example' }), 'unknown member "url"'],
  ['a digest of its own', file('aXRlbQ==', { sha256: 'ab' }), 'unknown member "sha256"'],
  ['a name that is none', file('aXRlbQ==', { name: 1 }), '"name" must be a text'],
  ['a name without end', file('aXRlbQ==', { name: 'a'.repeat(1_025) }), 'at most 1024'],
])('%s is refused in words', (_, body, problem) => {
  expect(() => fileIn(body)).toThrow(problem);
});

test('a body with a file is known by what the file is, and not by its bytes', () => {
  const known = (base64: string) => JSON.stringify(identified(file(base64), fileIn(file(base64))));
  expect(known('aXRlbQ==')).toBe(known('aXRlbQ=='));
  expect(known('aXRlbQ==')).not.toBe(known('aXRlbg=='));
  expect(known('aXRlbQ==')).not.toContain('aXRlbQ==');
});
