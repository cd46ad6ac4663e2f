import { canonicalArguments, isExactNumber, lossProblem, repeatedName } from '@stopgo/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

describe('a number is kept', () => {
  test.each([
    ['0', '-0', '-0.0e5', '1', '-1.50', '0.1', '1e3', '1E+2', '4.50'],
    ['9007199254740991', '-9007199254740991', '1e21', '6.02214076e23', '5e-324', '1.7976931348623157e308'],
    ['0.30000000000000004', '123456789012345.0', '100e-2', '0e999999'],
  ])('if its decimal value is the same afterwards: %s', (...texts) =>
    expect(texts.filter((text) => !isExactNumber(text))).toEqual([]),
  );

  test.each([
    [
      'integers beyond 2^53 - 1',
      ['9007199254740992', '9007199254740993', '-9007199254740993', '1e17', '1'.repeat(400)],
    ],
    ['what becomes zero or infinite', ['1e-400', '-1e-324', '1e400', '-1e400']],
    ['more digits than a double has', ['0.1234567890123456789', '3.14159265358979323846', '9007199254740991.5']],
  ])('but not %s', (_, texts) => expect(texts.filter(isExactNumber)).toEqual([]));

  test('whatever a double is, in the way that ECMAScript writes it, if it is no large integer in digits', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = JSON.stringify(value);
        const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value) && !text.includes('e');
        expect(isExactNumber(text)).toBe(!isLarge);
      }),
    );
  });
});

describe('what is lost is told', () => {
  test.each([
    ['{"a":1,"a":1}', 'the member /a stands twice; write each member once'],
    ['{"a":1,"\\u0061":2}', 'the member /a stands twice; write each member once'],
    ['{"x":[{},{"k":{"b/c":1,"d":{},"b/c":2}}]}', 'the member /x/1/k/b~1c stands twice; write each member once'],
    ['{"__proto__":1,"__proto__":2}', 'the member /__proto__ stands twice; write each member once'],
    ['{"a\\u202e":[0,{},1e400]}', /^the number 1e400 at \/a\\u\{202e\}\/2 is not kept exactly; write it as a string/],
  ])('with its place: %s', (text, words) => expect(lossProblem(text)).toMatch(words));

  test.each(['9007199254740993', '9007199254740992', '-9007199254740992', '1e17', '1'.repeat(40), '7'.repeat(400)])(
    'and an integer beyond 2^53 - 1 must be a string, whether or not a double keeps it: %s',
    (number) => {
      const problem = lossProblem(`{"a":${number}}`);
      expect(problem).toMatch(/ at \/a is out of range: integers beyond 9007199254740991 must be written as strings$/);
      expect(problem).toContain(`the number ${number.slice(0, 80)}`);
    },
  );

  test.each(['9007199254740991.5', '0.1234567890123456789', '1e400', '1e-400'])('which is not said of %s', (number) =>
    expect(lossProblem(`{"a":${number}}`)).toMatch(/is not kept exactly; write it as a string, or as a number/),
  );

  test.each([
    '{"a":{"a":1},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"\\"a\\":1e400","b":"x"}',
    '{"a":"9007199254740993"}',
  ])('and nothing of a text that loses nothing: %s', (text) => expect(lossProblem(text)).toBeUndefined());

  test('at no greater length than anybody reads', () => {
    const name = 'n'.repeat(10_000);
    expect(lossProblem(`{"${name}":1,"${name}":2}`)?.length).toBeLessThan(200);
    expect(lossProblem(`{"a":${'7'.repeat(10_000)}}`)?.length).toBeLessThan(250);
  });

  test('also a name that stands twice after a number that is lost', () =>
    expect(repeatedName('{"a":1e400,"b":1,"b":2}')).toBe('b'));
});

test('arguments have one form, whatever their order, spacing and escapes', () => {
  const forms = ['{"b":[1.0],"a":"A"}', ' {"a" : "\\u0041", "b":[ 1 ]} '];
  expect(new Set(forms.map((text) => JSON.stringify(canonicalArguments(text)))).size).toBe(1);
  expect(canonicalArguments('{"b":[1.0],"a":"A"}')).toEqual({ json: '{"a":"A","b":[1]}' });
});

test('arguments in canonical form stay as they are', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (value) => {
      const once = canonicalArguments(JSON.stringify(value));
      if ('json' in once) expect(canonicalArguments(once.json)).toEqual(once);
    }),
  );
});
