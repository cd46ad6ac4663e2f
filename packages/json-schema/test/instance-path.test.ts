import { expect, test } from 'vitest';
import { withPath } from '../src/instance-path.ts';
import { SchemaChecks } from '../src/schema-checks.ts';

const number = { type: 'number' };
const objectOf = (name: string) => ({ type: 'object', properties: { [name]: number } });

test.each<[string, object, unknown]>([
  ['the arguments', number, 'x'],
  ['arguments.amount', objectOf('amount'), { amount: 'x' }],
  ['arguments.größe_1', objectOf('größe_1'), { größe_1: 'x' }],
  ['arguments.list[1].id', { properties: { list: { items: objectOf('id') } } }, { list: [{ id: 1 }, { id: 'x' }] }],
  ['arguments["1"]', objectOf('1'), { '1': 'x' }],
  ['arguments["a b"]', objectOf('a b'), { 'a b': 'x' }],
  ['arguments["a.b: c; d"]', objectOf('a.b: c; d'), { 'a.b: c; d': 'x' }],
  ['arguments["a/b~1%2F#"]', objectOf('a/b~1%2F#'), { 'a/b~1%2F#': 'x' }],
  ['arguments[""]', objectOf(''), { '': 'x' }],
])('the place of a problem is written as people write it: %s', async (place, schema, value) => {
  const check = new SchemaChecks().checkOf(schema as never, { owner: 's', key: 'k' });
  expect(await check(value as never)).toBe(`${place}: Instance type "string" is invalid. Expected "number".`);
});

test('the whole value is called by the name that it is given', async () => {
  const check = new SchemaChecks().checkOf(objectOf('n'), { owner: 's', key: 'k' }, 'structuredContent');
  expect(await check({ n: 'x' })).toMatch(/^structuredContent\.n: /);
  const whole = new SchemaChecks().checkOf(number, { owner: 's', key: 'k' }, 'structuredContent');
  expect(await whole('x')).toMatch(/^the structuredContent: /);
});

test('a name is told whole, whatever is in it', async () => {
  const check = new SchemaChecks().checkOf({ required: ['a; b: c'] }, { owner: 's', key: 'k' });
  expect(await check({})).toBe('the arguments: Instance does not have required property "a; b: c".');
});

test('what has no place stays as it is', () => {
  expect(withPath('the schema takes longer than 3 ms to check it', {}, 'arguments')).toBe(
    'the schema takes longer than 3 ms to check it',
  );
  expect(withPath('#/%: no', {}, 'arguments')).toBe('arguments["%"]: no');
});
