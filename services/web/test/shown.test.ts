import { ExactNumber, exactText, parseExact } from '@stopgo/client';
import { describe, expect, test } from 'vitest';
import { diffLines } from '../app/approvals/diff.ts';
import { piecesOf } from '../app/ui/shown.ts';

describe('JSON with exact numbers', () => {
  test.each(['12345678901234567890', '1.0', '-0', '1e400', '0.1000', '9007199254740993', '42', '-1.5'])(
    '%s stays as it is written',
    (number) => {
      const value = parseExact(`{"n": ${number}, "list": [${number}]}`) as never;
      expect(exactText(value)).toBe(`{\n  "n": ${number},\n  "list": [\n    ${number}\n  ]\n}`);
    },
  );

  test('a text that looks like a number stays a text, and is not counted as one of its own', () => {
    const text = '{"a": "12345678901234567890", "b": "say \\"1.0\\" twice", "number:x:1": 1.0}';
    const value = parseExact(text) as Record<string, unknown>;
    expect(value.a).toBe('12345678901234567890');
    expect(value.b).toBe('say "1.0" twice');
    expect(value['number:x:1']).toEqual(new ExactNumber('1.0'));
  });

  test('what is no JSON is refused', () => {
    for (const text of ['{', '[1,]', '01', 'x']) expect(() => parseExact(text)).toThrow(SyntaxError);
  });
});

describe('text that deceives', () => {
  const marked = (text: string) =>
    piecesOf(text).map((piece) => (piece.kind === 'plain' ? piece.text : `<${piece.kind} ${piece.code}>`));

  test.each([
    ['plain text, with ünïcödé and 日本語', ['plain text, with ünïcödé and 日本語']],
    ['Привет, мир', ['Привет, мир']],
    ['line\nbreak\tand tab', ['line\nbreak\tand tab']],
    ['a\u202eb', ['a', '<hidden U+202E>', 'b']],
    ['zero\u200bwidth', ['zero', '<hidden U+200B>', 'width']],
    ['p\u0430ypal', ['p', '<lookalike U+0430>', 'ypal']],
    ['\u0430\u0440\u0435', ['<lookalike U+0430>', '<lookalike U+0440>', '<lookalike U+0435>']],
    ['\u{1d41a}dmin', ['<lookalike U+1D41A>', 'dmin']],
  ])('%j', (text, pieces) => {
    expect(marked(text)).toEqual(pieces);
  });

  test('all of a text is in its pieces, in order', () => {
    const text = 'p\u0430y\u202e \u{1d41a}\ud83d\ude00 end';
    expect(
      piecesOf(text)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
  });
});

test('a comparison has every line of both texts, and keeps what they share', () => {
  expect(diffLines('a\nb\nc', 'a\nx\nc\nd')).toEqual([
    { kind: 'same', text: 'a' },
    { kind: 'gone', text: 'b' },
    { kind: 'new', text: 'x' },
    { kind: 'same', text: 'c' },
    { kind: 'new', text: 'd' },
  ]);
  const long = Array.from({ length: 500 }, (_, index) => `${index}`).join('\n');
  expect(diffLines(long, `${long}\nmore`)).toHaveLength(1_001);
});
