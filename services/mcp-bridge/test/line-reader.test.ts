import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineReader } from '../src/line-reader.ts';

const newline = '\n';

test('however the bytes are cut, the same lines come out, and too long ones are told', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll(newline, ' '));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (lines, sizes) => {
      const seen: string[] = [];
      const reader = new LineReader(
        16,
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
        if (Buffer.byteLength(text) > 16) return ['too long'];
        return text.trim() === '' ? [] : [text.trim()];
      });
      expect(seen).toEqual(expected);
    }),
  );
});
