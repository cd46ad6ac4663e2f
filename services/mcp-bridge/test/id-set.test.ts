import { expect, test } from 'vitest';
import { IdSet } from '../src/attempts/id-set.ts';

test('no inner set grows beyond its bound, however many ids there are', () => {
  const real = globalThis.Set;
  // As the real one, which has room for 2^24 entries.
  class Full extends real<unknown> {
    override add(value: unknown): this {
      if (this.size === 4 && !this.has(value)) throw new RangeError('Set maximum size exceeded');
      return super.add(value);
    }
  }
  const ids = Array.from({ length: 18 }, (_, index) => `id-${index}`);
  globalThis.Set = Full as SetConstructor;
  try {
    const set = new IdSet(4);
    for (const id of [...ids, ...ids]) set.add(id);
    expect(ids.filter((id) => !set.has(id))).toEqual([]);
    expect(set.has('id-18')).toBe(false);
  } finally {
    globalThis.Set = real;
  }
});
