import { canonicalJson, type Json, parseJson } from '@stopgo/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonDepthMax } from '../src/text/bounds.ts';

describe('canonical JSON', () => {
  test('is that of the example of RFC 8785', () => {
    const source = `{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(parseJson(source) as Json)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test('orders keys by UTF-16 code units, as RFC 8785 shows, not by code points', () => {
    const source = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 };
    expect(Object.values(parseJson(canonicalJson(source)) as object)).toHaveLength(7);
    const order = [...canonicalJson(source).matchAll(/:(\d)/g)].map((match) => match[1]);
    expect(order).toEqual(['2', '4', '6', '7', '1', '5', '3']);
  });

  // IEEE-754 bits and their text, from appendix B of RFC 8785.
  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['41b3de4355555555', '333333333.3333333'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
  ])('writes the number %s as %s', (bits, text) => {
    expect(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())).toBe(text);
  });

  test('says what it was made of, and says it again', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = canonicalJson(value as Json);
        expect(canonicalJson(parseJson(text) as Json)).toBe(text);
        expect(parseJson(text)).toEqual(parseJson(JSON.stringify(value)));
      }),
    );
  });

  test.each([
    ['NaN', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['half a character', '\ud800'],
    ['half a character in a key', { '\udc00': 1 }],
    ['undefined', [undefined]],
    ['a list nested too deep', parseJson('['.repeat(jsonDepthMax + 1) + ']'.repeat(jsonDepthMax + 1))],
    ['nesting that would exhaust the stack', parseJson('{"a":'.repeat(30_000).concat('1', '}'.repeat(30_000)))],
  ])('refuses %s with a TypeError', (_, value) => {
    expect(() => canonicalJson(value as Json)).toThrow(TypeError);
  });

  test(`takes ${jsonDepthMax} levels`, () => {
    const text = '['.repeat(jsonDepthMax) + ']'.repeat(jsonDepthMax);
    expect(canonicalJson(parseJson(text) as Json)).toBe(text);
  });
});
