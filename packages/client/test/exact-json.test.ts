import { expect, test } from 'vitest';
import { ExactNumber, exactJson, exactText, parseExact } from '../src/exact-json.ts';

const numbers = ['12345678901234567890', '1.0', '-0', '1e400', '0.10', '1E5', '-12.50e-3'];

test.each(numbers)('%s stays as it is written', (text) => {
  const read = parseExact(`{"n":[${text}],"text":"${text}"}`) as { readonly n: readonly ExactNumber[] };
  expect(read.n[0]).toBeInstanceOf(ExactNumber);
  expect(exactJson(read)).toBe(`{"n":[${text}],"text":"${text}"}`);
  expect(exactText(read as never)).toBe(`{\n  "n": [\n    ${text}\n  ],\n  "text": "${text}"\n}`);
});

test('what JavaScript writes the same is a number of its own', () => {
  expect(parseExact('{"a":1,"b":[-2.5,0,1e+21],"c":"\\"1.0"}')).toEqual({ a: 1, b: [-2.5, 0, 1e21], c: '"1.0' });
});

test.each(['', '{', '01', '{"a":1.}', '[1,]'])('%j is no JSON', (text) => {
  expect(() => parseExact(text)).toThrow(SyntaxError);
});

test('nothing but a number can stand in the place of one', () => {
  for (const text of ['', '1,"x":2', '"', '1 ', '0x10', 'NaN']) expect(() => new ExactNumber(text)).toThrow(RangeError);
});
