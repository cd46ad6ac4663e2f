import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutResult } from '../src/results/cut-result.ts';

test('JSON that is cut is still JSON, says so, and is not larger than allowed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary' }), { minLength: 100 }),
      fc.integer({ min: 300, max: 900 }),
      (list, max) => {
        const text = JSON.stringify(list);
        const { text: kept, cut } = cutResult(text, max);
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(
          Math.max(max, cut === undefined ? Buffer.byteLength(text) : max),
        );
        if (Buffer.byteLength(text) <= max) return expect(kept).toBe(text);
        const read = JSON.parse(kept) as { truncated: boolean; full_bytes: number; beginning: string };
        expect(read).toMatchObject({ truncated: true, full_bytes: Buffer.byteLength(text), sha256: cut?.sha256 });
        expect(text.startsWith(read.beginning)).toBe(true);
      },
    ),
  );
});

test('it keeps as much of it as there is room for', () => {
  const { text } = cutResult(JSON.stringify(['x'.repeat(10_000)]), 1_000);
  expect(text).toHaveLength(1_000);
});

test('what is no JSON is cut with its mark', () => {
  expect(cutResult('{ not json '.repeat(100), 300).text).toMatch(/\n\[cut: 1100 bytes in full, sha256 [0-9a-f]{64}\]$/);
});
