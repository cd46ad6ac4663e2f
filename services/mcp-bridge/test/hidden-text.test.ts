import { describe, expect, test } from 'vitest';
import { hiddenText } from '../src/hidden-text.ts';

const tool = (description: string) => ({ name: 'pay', description, inputSchema: { type: 'object' } });

describe('is hidden', () => {
  test.each([
    ['tag characters', 'Pays\u{e0049}\u{e0067}', 'U+E0049 in /description'],
    ['a change of direction', 'Pays \u202etxt', 'U+202E in /description'],
    ['zero width', 'Pays\u200b', 'U+200B in /description'],
    ['a terminal command', 'Pays\u001b[8m', 'U+001B in /description'],
    ['a joiner that joins nothing', 'Pays \u200d now', 'U+200D in /description'],
    ['joiners in a row', 'a\u200d\u200db', 'U+200D in /description'],
  ])('%s', (_, description, words) => expect(hiddenText(tool(description))).toBe(words));

  test('in whatever place of a definition, names of properties too', () => {
    const schema = { type: 'object', properties: { amount: { enum: ['1', '2\u2066'], default: 1 } } };
    expect(hiddenText({ name: 'pay', inputSchema: schema })).toBe('U+2066 in /inputSchema/properties/amount/enum/1');
    expect(hiddenText({ name: 'pay', inputSchema: { properties: { 'a\u200b': {} } } })).toMatch(/^U\+200B in /);
    expect(hiddenText({ name: 'p\u00ady' })).toBe('U+00AD in /name');
  });
});

test.each(['Line one\r\n\tline two', '👩‍👩‍👧 family, ✔️ done', 'می‌خواهم', 'Grüße, 你好, שלום'])(
  'is seen: %s',
  (description) => expect(hiddenText(tool(description))).toBeUndefined(),
);

test('a name may not even hold what is harmless in a sentence', () => {
  expect(hiddenText({ name: 'pa\u200dy' })).toBe('U+200D in /name');
});
