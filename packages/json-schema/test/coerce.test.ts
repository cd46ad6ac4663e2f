import type { Json } from '@stopgo/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coercionStepsMax } from '../src/bounds.ts';
import { coerced, fittedValue } from '../src/coerce.ts';
import { SchemaChecks } from '../src/schema-checks.ts';

const of = (a: Json) => ({ type: 'object', properties: { a } });

describe('a value is coerced', () => {
  test.each<[Json, Json, Json]>([
    [{ type: 'string' }, 42, '42'],
    [{ type: 'string' }, 1.5, '1.5'],
    [{ type: 'string' }, true, 'true'],
    [{ type: ['string', 'null'] }, false, 'false'],
    [{ enum: ['1', '2'] }, 1, '1'],
    [{ type: 'integer' }, '42', 42],
    [{ type: 'number' }, '-0.5', -0.5],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, '7', 7],
    [{ $ref: '#/$defs/id' }, 7, '7'],
    [{ allOf: [{ $ref: '#/$defs/id' }, { minLength: 1 }] }, 7, '7'],
    [{ type: 'array', items: { type: 'string' } }, ['x', 1, true], ['x', '1', 'true']],
    [{ type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } }, [1, '2'], ['1', 2]],
    [
      { properties: { b: { items: { properties: { c: { type: 'string' } } } } } },
      { b: [{ c: 1, d: 2 }] },
      { b: [{ c: '1', d: 2 }] },
    ],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { x: 1 }, { x: '1' }],
    [{ anyOf: [of({ type: 'string' }), { type: 'null' }] }, { a: 1 }, { a: '1' }],
  ])('%j: %j to %j', (schema, value, to) =>
    expect(coerced({ ...of(schema), $defs: { id: { type: 'string' } } }, { a: value })).toEqual({ a: to }),
  );

  test.each<[Json, Json]>([
    [{ type: ['string', 'integer'] }, 42],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 42],
    [{ anyOf: [{ type: 'string' }, {}] }, 42],
    [{}, 42],
    [true, 42],
    [{ type: 'string' }, null],
    [{ type: 'string' }, [1]],
    [{ type: 'integer' }, '4.2'],
    ...['042', '4.0', '1e3', ' 42', '0x1F', '', '-0', '9007199254740993', 'NaN', 'Infinity', '1e400'].map(
      (text): [Json, Json] => [{ type: 'number' }, text],
    ),
    [{ type: 'boolean' }, 'true'],
    [{ type: 'integer' }, 4.2],
    [{ $ref: 'https://schemas.example/id.json' }, 42],
    [{ anyOf: [of({ type: 'string' }), of({ type: 'integer' })] }, { a: true }],
    [{ patternProperties: { '^a': {} }, additionalProperties: { type: 'string' } }, { ab: 1 }],
  ])('but %j leaves %j as it is', (schema, value) => {
    const whole = { a: value };
    expect(coerced(of(schema), whole)).toBe(whole);
  });

  test('also a member that JavaScript has a name of its own for', () => {
    const value = JSON.parse('{"__proto__":1,"constructor":2}') as Json;
    const to = coerced({ type: 'object', additionalProperties: { type: 'string' } }, value);
    expect(JSON.stringify(to)).toBe('{"__proto__":"1","constructor":"2"}');
  });

  test.each([
    ['a reference to itself', { $ref: '#' }],
    ['a choice of itself', { anyOf: [{ $ref: '#' }, { $ref: '#' }, { type: 'null' }] }],
    ['itself in all ways', { allOf: [{ $ref: '#' }, { $ref: '#' }], properties: { a: { $ref: '#' } } }],
  ])('without end by %s', (_, schema) => expect(coerced(schema, { a: { a: 1 } })).toEqual({ a: { a: 1 } }));
});

test('a long list against many schemas ends with the places that are looked at', () => {
  let looks = 0;
  const counted = {
    get items() {
      looks += 1;
      return {};
    },
  };
  const value = { a: Array<Json>(1_000).fill(1) };
  expect(coerced(of({ allOf: Array<Json>(1_000).fill(counted) }), value)).toBe(value);
  expect(looks).toBeLessThan(2 * coercionStepsMax);
});

describe('what does not fit', () => {
  const checks = new SchemaChecks();
  const fitted = (schema: { [key: string]: Json }, value: Json) =>
    fittedValue(schema, checks.checkOf(schema, { owner: 's', key: 'k' }), value);

  test('is taken once it is coerced', async () =>
    expect(await fitted(of({ type: 'string' }), { a: 42 })).toEqual({ value: { a: '42' } }));

  test('is told as it is after that', async () => {
    const schema = { ...of({ type: 'string' }), required: ['b'] };
    expect(await fitted(schema, { a: 42 })).toEqual({ problem: expect.stringContaining('"b"') });
    expect(await fitted(of({ type: 'string', maxLength: 1 }), { a: 42 })).toEqual({
      problem: expect.stringMatching(/^arguments\.a: /),
    });
  });

  test('and what fits is never another value', async () => {
    const schema = { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } };
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.string(),
          fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
        ),
        async (value) => {
          expect(await fitted(schema, value)).toEqual({ value });
        },
      ),
    );
  });
});
