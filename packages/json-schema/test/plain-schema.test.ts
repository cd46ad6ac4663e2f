import { describe, expect, test } from 'vitest';
import { isPlainSchema, isSmallValue } from '../src/plain-schema.ts';

const withA = (a: unknown) => ({ type: 'object', properties: { a } }) as Parameters<typeof isPlainSchema>[0];

describe('a schema is checked without a watchdog', () => {
  test.each([
    [withA({ type: 'string', minLength: 1, description: 'A name.' })],
    [withA({ enum: ['a', { b: [1] }] })],
    [withA({ type: 'array', items: { type: 'object', properties: { b: { const: 1 } }, additionalProperties: false } })],
    [
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        additionalProperties: { type: 'null' },
      },
    ],
    [withA(true)],
  ])('where it only holds each place against one of its own: %j', (schema) => expect(isPlainSchema(schema)).toBe(true));

  test.each([
    ['a regular expression', withA({ type: 'string', pattern: '^a$' })],
    ['names by regular expressions', { patternProperties: { '^a$': true } }],
    ['a format', withA({ format: 'email' })],
    ['a reference', withA({ $ref: '#' })],
    ['a reference that goes on', withA({ items: { $dynamicRef: '#' } })],
    ['a choice', { anyOf: [true] }],
    ['a comparison of all with all', withA({ uniqueItems: true })],
    ['a list of schemas', withA({ items: [true] })],
    ['something else within a property', withA(withA({ not: true }))],
    ['something else behind the others', { additionalProperties: { items: { pattern: 'a' } } }],
    ['a property that is no schema', withA('string')],
    ['properties that are none', { properties: [true] }],
    ['a keyword that nobody knows', { type: 'object', 'x-check': 1 }],
    ['very many names', { enum: Array.from({ length: 300 }, (_, n) => n) }],
    ['very long ones', { const: 'a'.repeat(65_537) }],
  ])('but not with %s', (_, schema) => expect(isPlainSchema(schema)).toBe(false));
});

describe('a value is small', () => {
  test.each([
    ['a'.repeat(65_536)],
    [{ a: [1, 2, { b: null }] }],
    [Array(999).fill(0)],
    [undefined],
    [{ a: '', b: '' }],
  ])('with few parts that are short: %j', (value) => expect(isSmallValue(value)).toBe(true));
  test.each([
    ['parts', Array(1_000).fill(0)],
    ['parts in parts', { a: Array(40).fill(Array(40).fill(0)) }],
    ['members', Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [n, 0]))],
    ['characters', ['a'.repeat(65_536), 'b']],
    ['characters of its names', { [`${'a'.repeat(65_536)}b`]: 1 }],
  ])('but not with many %s', (_, value) => expect(isSmallValue(value)).toBe(false));
  test('and never one that is in itself', () => {
    const value: { self?: unknown } = {};
    value.self = value;
    expect(isSmallValue(value)).toBe(false);
  });
});
