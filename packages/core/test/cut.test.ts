import { byteLength, cutText, sha256Hex } from '@stopgo/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

describe('a text that is too long', () => {
  test('keeps its beginning, never half a character, in at most the bytes allowed, and says its size and digest', () => {
    const texts = fc.string({ unit: 'binary', minLength: 40, maxLength: 120, size: 'max' });
    fc.assert(
      fc.property(texts, fc.integer({ min: 128, max: 200 }), (part, bytesMax) => {
        const text = part.repeat(6);
        const { text: kept, cut } = cutText(text, bytesMax);
        if (byteLength(text) <= bytesMax) {
          expect([kept, cut]).toEqual([text, undefined]);
          return;
        }
        const fullBytes = byteLength(text);
        const mark = `\n[cut: ${fullBytes} bytes in full, sha256 ${sha256Hex(text)}]`;
        expect(cut).toEqual({ fullBytes, sha256: sha256Hex(text) });
        expect(kept.endsWith(mark)).toBe(true);
        expect(text.startsWith(kept.slice(0, -mark.length))).toBe(true);
        expect(byteLength(kept)).toBeLessThanOrEqual(bytesMax);
        // No more is lost than the character at the border.
        expect(byteLength(kept)).toBeGreaterThan(bytesMax - 4);
      }),
    );
  });

  test('that is JSON does not parse once it is cut', () => {
    const text = JSON.stringify({ list: Array.from({ length: 100 }, (_, index) => index) });
    for (let bytesMax = 128; bytesMax < byteLength(text); bytesMax += 1)
      expect(() => JSON.parse(cutText(text, bytesMax).text)).toThrow();
  });
});

test('a text that fits exactly is not touched, one byte more is cut', () => {
  const text = 'é'.repeat(100);
  expect(cutText(text, 200)).toEqual({ text });
  expect(cutText(text, 199).cut).toEqual({ fullBytes: 200, sha256: sha256Hex(text) });
});
