import { JsonValueCounter, jsonValuesIn } from '@stopgo/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The values of a JSON value, and how many of them are lists or objects. */
function counted(value: unknown): { readonly values: number; readonly containers: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, containers: 0 };
  const inside = Object.values(value).map(counted);
  return {
    values: 1 + inside.reduce((sum, one) => sum + one.values, 0),
    containers: 1 + inside.reduce((sum, one) => sum + one.containers, 0),
  };
}

describe('the values of a JSON text', () => {
  test.each([
    ['1', 1],
    ['[1,1,1]', 4],
    ['{"a":1,"b":[2]}', 4],
    ['"[1,1,1]"', 1],
    ['"a\\",[[["', 1],
    ['"a\\\\",[', 3],
  ])('of %s are at most %i', (text, values) => {
    expect(jsonValuesIn(bytes(text))).toBe(values);
  });

  test('are never fewer than there are, at most one more for each list or object, however the bytes come', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 7 }), fc.boolean(), (value, size, isPretty) => {
        const text = bytes(JSON.stringify(value, undefined, isPretty ? 2 : 0));
        const { values, containers } = counted(value);
        const counter = new JsonValueCounter();
        let found = 1;
        for (let at = 0; at < text.length; at += size) found = counter.add(text.subarray(at, at + size));
        expect(found).toBe(jsonValuesIn(text));
        expect(found).toBeGreaterThanOrEqual(values);
        expect(found).toBeLessThanOrEqual(values + containers);
      }),
    );
  });

  test('of a stream are those of its largest event', () => {
    const counter = new JsonValueCounter(true);
    expect(counter.add(bytes(': it\'s "open\ndata: [1,2]\n\ndata: [1'))).toBe(3);
    expect(counter.add(bytes(',2,3]\n\n'))).toBe(4);
    expect(counter.add(bytes('data: 1\n'))).toBe(1);
  });

  test.each([
    ['\\n', '\n'],
    ['\\r\\n', '\r\n'],
    ['\\r', '\r'],
  ])('of an event in several lines that end with %s are those of all of them', (_, end) => {
    const counter = new JsonValueCounter(true);
    const event = ['data: [1,', 'data: 2,', 'data: 3]', '', ''].join(end);
    for (const byte of bytes(event + event)) expect(counter.add(Uint8Array.of(byte))).toBeLessThanOrEqual(4);
    expect(counter.add(bytes(event))).toBe(4);
  });

  test('of what is called a stream and begins as JSON are all of them, blank lines or not', () => {
    for (const start of ['', ' \n', '\u{feff}']) {
      const counter = new JsonValueCounter(true);
      for (const byte of bytes(`${start}[1,\n\n1,\n\n1]`)) counter.add(Uint8Array.of(byte));
      expect(counter.add(bytes('\n'))).toBe(4);
    }
  });
});
