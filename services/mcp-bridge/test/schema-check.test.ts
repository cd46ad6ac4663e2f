import { describe, expect, test } from 'vitest';
import { schemaCheck, schemaProblem, shownProblem } from '../src/schema-check.ts';

const checkMs = 100;

describe('a value', () => {
  const check = schemaCheck(
    { type: 'object', properties: { amount: { type: 'number', minimum: 1 } }, required: ['amount'] },
    checkMs,
  );
  test('that fits is let through, often', () => {
    for (let times = 0; times < 3; times += 1) expect(check({ amount: 2 })).toBeUndefined();
  });
  test.each([
    [{}, /amount/],
    [{ amount: 'two' }, /^#\/amount: .*"string"/],
    [{ amount: 0 }, /^#\/amount: .*1/],
    ['text', /"string"/],
  ])('that does not fit is told where: %s', (value, words) => expect(check(value)).toMatch(words));

  test('never takes longer than its time, whatever the regular expression', () => {
    const slow = schemaCheck({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }, checkMs);
    expect(slow({ a: `${'a'.repeat(60)}!` })).toBe('the schema takes longer than 100 ms to check it');
    expect(slow({ a: 'aaa' })).toBeUndefined();
    expect(check({ amount: 2 })).toBeUndefined();
  });

  test.each([
    ['another document', { type: 'object', properties: { a: { $ref: 'https://schemas.example/a.json' } } }],
    ['another dialect', { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }],
    ['a wrong regular expression', { type: 'object', properties: { a: { type: 'string', pattern: '(' } } }],
    ['itself', { type: 'object', $ref: '#' }],
  ])('is left to the server where the schema cannot tell: it refers to %s', (_, schema) =>
    expect(schemaCheck(schema, checkMs)({ a: 'x' })).toBeUndefined(),
  );

  test('is no name for a message without bounds, nor one that hides something', () => {
    const many = schemaCheck({ type: 'object', properties: { a: { enum: ['\u202e', 'x'.repeat(9_000)] } } }, checkMs);
    const words = shownProblem(many({ a: 1 }) ?? '');
    expect(words.length).toBeLessThan(600);
    expect(words).toContain('\\u{202e}');
  });
});

describe('a schema', () => {
  test.each([
    [{ type: 'thing' }, '"type" is none at #'],
    [{ properties: 7 }, '"properties" is no object at #'],
    [{ properties: { a: { type: ['string', 'nul'] } } }, '"type" is none at #/properties/a'],
    [{ items: { anyOf: {} } }, '"anyOf" is no list at #/items'],
    [{ required: 'a' }, '"required" is no list of names at #'],
    [{ additionalProperties: 'no' }, '#/additionalProperties is no schema'],
  ])('that makes no sense is told where: %j', (schema, words) => expect(schemaProblem(schema)).toBe(words));

  test.each([
    { type: 'object', properties: { a: true, b: { required: true } }, additionalProperties: false },
    { type: ['object', 'null'], items: [{ type: 'string' }], $defs: { a: {} } },
  ])('as people write them makes sense: %j', (schema) => expect(schemaProblem(schema)).toBeUndefined());
});
