import { jsonValuesIn } from '@stopgo/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineReader } from '../src/lines/line-reader.ts';

const newline = '\n';

test('however the bytes are cut, the same lines come out, and too long ones are told', () => {
  const line = fc
    .string({
      unit: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 1 }), fc.constantFrom(',', '[', '"')),
      maxLength: 12,
    })
    .map((text) => text.replaceAll(newline, ' '));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (lines, sizes) => {
      const seen: string[] = [];
      const reader = new LineReader(
        { messageBytesMax: 16, messageValuesMax: 3 },
        (text) => seen.push(text),
        () => seen.push('too long'),
      );
      const bytes = Buffer.from(lines.map((text) => text + newline).join(''));
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? 1;
        reader.push(bytes.subarray(at, at + size));
        at += size;
      }
      const expected = lines.flatMap((text) => {
        const bytes = Buffer.from(text);
        if (bytes.length > 16 || jsonValuesIn(bytes) > 3) return ['too long'];
        return text.trim() === '' ? [] : [text.trim()];
      });
      expect(seen).toEqual(expected);
    }),
  );
});

test('a line that is skipped says what it has too much of, and the next one counts anew', () => {
  const [seen, skipped]: [string[], unknown[]] = [[], []];
  const reader = new LineReader(
    { messageBytesMax: 20, messageValuesMax: 3 },
    (text) => seen.push(text),
    (one) => skipped.push(one),
  );
  for (const text of ['[1,1]', '[1,1,1]', '[1,1]', '"[[[[[,,,,,"', `"${'x'.repeat(19)}"`, '[1,1]'])
    reader.push(Buffer.from(text + newline));
  expect(seen).toEqual(['[1,1]', '[1,1]', '"[[[[[,,,,,"', '[1,1]']);
  expect(skipped).toMatchObject([
    { excess: '3 JSON values', head: '[1,1,1]' },
    { excess: '20 bytes', tail: `"${'x'.repeat(19)}"` },
  ]);
});
