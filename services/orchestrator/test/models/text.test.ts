import { expect, test } from 'vitest';
import { createRedactor, errorTextBytesMax, searchedCharactersMax } from '../../src/models/redact.ts';
import { providerToolName } from '../../src/models/tool-names.ts';

const redact = createRedactor(['p/q+r', 'p/q+r+longer']);

test.each([
  ['the key p/q+r is wrong', 'the key [redacted] is wrong'],
  ['the key p/q+r+longer is wrong', 'the key [redacted] is wrong'],
  ['GET /x?key=p%2Fq%2Br', 'GET /x?key=[redacted]'],
  ['GET /x?key=other&alt=sse', 'GET /x?key=[redacted]&alt=sse'],
  ['x-api-key: other', 'x-api-key: [redacted]'],
  ['Authorization: Bearer abc.def', 'Authorization: [redacted]'],
  [
    '{"authorization":"Basic abc=","x-goog-api-key":"other","a":1}',
    '{"authorization":"[redacted]","x-goog-api-key":"[redacted]","a":1}',
  ],
  ['{\\"x-api-key\\":\\"other\\"}', '{\\"x-api-key\\":\\"[redacted]\\"}'],
  ['with bearer abcdefgh1234', 'with bearer [redacted]'],
  [`AIza${'x'.repeat(35)} sk-ant-api03-abcdefgh`, '[redacted] [redacted]'],
  [`sk-proj-${'x'.repeat(20)} sk-or-v1-0123456789abcdef gsk_0123456789abcdefXY`, '[redacted] [redacted] [redacted]'],
  ['provided: sk-abcd********************wxyz.', 'provided: [redacted].'],
  ['a task-force-of-many-words', 'a task-force-of-many-words'],
  ['invalid x-api-key', 'invalid x-api-key'],
])('%s', (text, shown) => {
  expect(redact(text)).toBe(shown);
});

test('a key is removed before the text is cut, and no character is cut in two', () => {
  const filler = 'ä'.repeat(errorTextBytesMax / 2 - 2);
  expect(redact(`${filler}p/q+r`)).not.toContain('p/q');
  const cut = redact('x'.concat('ä'.repeat(2000)));
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(errorTextBytesMax);
  expect(cut).toMatch(/^xä+…$/);
});

test('a text that is too long to be looked through is told by its length', () => {
  for (const begin of ['sk-', 'bearer ', 'key=']) {
    expect(redact(begin.padEnd(searchedCharactersMax, 'sk-'))).toContain('[redacted]');
    expect(redact(begin.padEnd(16 * searchedCharactersMax, 'sk-'))).toBe(
      'an error of 16777216 characters, too many to be repeated',
    );
  }
});

test('a tool cannot take the place of another by choosing the name that other is shown under', () => {
  const shown = providerToolName('delete everything');
  expect(shown).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
  expect(providerToolName(shown)).not.toBe(shown);
  expect(providerToolName('resources_add')).toBe('resources_add');
});
