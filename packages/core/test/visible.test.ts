import {
  firstHidden,
  isDeceptive,
  lookAlikeKeys,
  markedForModel,
  quotedName,
  spelledName,
  visibleJson,
  visibleLine,
  visibleText,
  visibleUrl,
} from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { looksAlike } from '../src/text/look-alike.ts';

/** What text from outside looks like (decision 0041). */

test('every code point that Unicode lets a font leave out is deceptive, and is shown', () => {
  const left: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    if (!/\p{Default_Ignorable_Code_Point}|\p{Cc}/u.test(String.fromCodePoint(code)) || code === 0x0a || code === 0x09)
      continue;
    const shown = visibleText(`a${String.fromCodePoint(code)}b`);
    if (!isDeceptive(code) || shown !== `a\\u{${code.toString(16)}}b`) left.push(code.toString(16));
  }
  expect(left).toEqual([]);
});

test('text that was made visible stays as it is', () => {
  const text = 'a\u200b\u{e0041}\u0300 \n\u0301x';
  expect(visibleText(visibleText(text))).toBe(visibleText(text));
});

test('a joiner is written out for people within a word of Persian, too: terminals do not shape it', () => {
  expect(visibleText('می\u200cخواهم')).toBe('می\\u{200c}خواهم');
});

test('a line is one line', () => {
  expect(visibleLine('a\nb\tc\rd\u2028e\u0085f')).toBe('a\\nb\\tc\\u{d}d\\u{2028}e\\u{85}f');
});

test.each([
  ['write_file', 'write_file'],
  ['ns/tool:1.2@x', 'ns/tool:1.2@x'],
  ['two words', '"two words"'],
  ['a  conversation b', '"a  conversation b"'],
  ['say "yes"', '"say \\"yes\\""'],
  ['', '""'],
  // What follows the quotation mark must not look like words of ours.
  ['a\\" of bank', '"a\\\\\\" of bank"'],
  ['a\\nb', '"a\\\\nb"'],
])('the name %j is shown as %s', (name, shown) => {
  expect(quotedName(name)).toBe(shown);
});

test('JSON keeps its value and hides nothing', () => {
  const value = { 'a\u202e': '\u{e0041}👩\u200d👧\ufe0f', b: ['\n\t'] };
  const json = visibleJson(JSON.stringify(value));
  expect(JSON.parse(json)).toEqual(value);
  expect(json).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
  expect(visibleJson('"\ud800"')).toBe('"\\ud800"');
});

test.each([
  ['\u0000', '\\u0000'],
  ['\r', '\\u000d'],
  ['\u007f', '\\u007f'],
  ['\u0085', '\\u0085'],
  ['\u0301', '\\u0301'],
])('JSON with nothing but %j in it hides nothing', (character, shown) => {
  expect(visibleJson(`"${character}"`)).toBe(`"${shown}"`);
});

describe('an address', () => {
  test.each([
    ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    // Cyrillic а, е, р.
    ['https://\u0430pple.com/x', 'https://xn--pple-43d.com/x'],
    ['https://ex\u200bample.com', 'https://example.com/'],
    ['https://ＥＸＡＭＰＬＥ.com', 'https://example.com/'],
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['https://good.example\\.evil.example', 'https://good.example/.evil.example'],
    ['https://x.example/\u202egnp', 'https://x.example/%E2%80%AEgnp'],
    ['javascript:al\u200bert()', 'javascript:al\\u{200b}ert()'],
    ['no\nurl', 'no\\nurl'],
  ])('%j is shown as %s', (address, shown) => {
    expect(visibleUrl(address)).toBe(shown);
  });
});

describe('look alike', () => {
  test.each([
    ['pay', 'p\u0430y'],
    ['PAY', 'pay'],
    ['list_all', 'Iist_a1l'],
    ['pay', 'pa\u200by'],
    ['pay', '\uff50\uff41\uff59'],
    ['pay', '\u{1d429}ay'],
    ['copy', '\u0441opy'],
    ['zoo', 'z00'],
    ['confirm', 'confirrn'],
    ['read-file', 'read\u2010file'],
    ['Ν', 'N'],
    // Cherokee, in capitals and in small letters
    ['DELETE', '\u13a0\u13ac\u13de\u13ac\u13a2\u13ac'],
    ['wszv', '\uab83\uabaa\uab93\uaba9'],
    ['GB', '\u13f3\u13f4'],
    ['gb', '\u13fb\u13fc'],
    // Lisu
    ['LIST.ALL', '\ua4e1\ua4f2\ua4e2\ua4d4\ua4f8\ua4ee\ua4e1\ua4e1'],
  ])('%s and %s', (one, other) => {
    expect(looksAlike(one, other)).toBe(true);
    expect(spelledName(one)).not.toBe(spelledName(other));
  });

  test.each([
    ['read_file', 'read_files'],
    ['get', 'set'],
    ['mail', 'mall'],
    ['v1', 'v2'],
    ['文件', '文书'],
    ['pay', 'pay'],
  ])('not %s and %s', (one, other) => {
    expect(looksAlike(one, other)).toBe(false);
    expect(lookAlikeKeys(one)).toHaveLength(2);
  });
});

describe('what a model is told of a result', () => {
  test.each([
    [
      'tags',
      'ok\u{e0049}\u{e0067}',
      '[2 characters that people do not see: written as \\u{…} in what follows]\nok\\u{e0049}\\u{e0067}',
    ],
    [
      'a terminal command',
      '\u001b[8mhi',
      '[1 character that people do not see: written as \\u{…} in what follows]\n\\u{1b}[8mhi',
    ],
    [
      'joiners between letters that do not join',
      'a\u200cb\u200dc',
      '[2 characters that people do not see: written as \\u{…} in what follows]\na\\u{200c}b\\u{200d}c',
    ],
  ])('%s are written out, with a note', (_, result, told) => {
    expect(markedForModel(result)).toBe(told);
  });

  test.each([
    'Grüße, 你好, שלום',
    'می\u200cخواهم',
    // Malayalam, as it was written before it had letters of its own for this.
    'അവന്\u200d വന്നു',
    '👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 ⚠\ufe0f',
    'one\r\n\ttwo',
    '{"a": 1}',
  ])('%j stays as it is', (result) => {
    expect(markedForModel(result)).toBe(result);
    expect(firstHidden(result)).toBeUndefined();
  });
});
