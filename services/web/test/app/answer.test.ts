import { type ExactValue, parseExact } from '@stopgo/client';
import { expect, test } from 'vitest';
import { localTime, problemAt, readAnswer, withZone } from '../../app/questions/answer.ts';
import { fieldsOf } from '../../app/questions/fields.ts';

const fieldsIn = (properties: string, required: readonly string[] = [], type?: string) =>
  fieldsOf({
    schema: parseExact(
      `{"type":"object","properties":{${properties}},"required":${JSON.stringify(required)}}`,
    ) as ExactValue,
    ...(type === undefined ? {} : { type }),
  });

test.each([
  [
    '"a":{"type":"string","title":"Name","default":"x","maxLength":1}',
    { kind: 'text', label: 'Name', default: 'x', bounds: 'At most 1 character.' },
  ],
  [
    '"a":{"type":"string","minLength":2,"format":"email"}',
    { kind: 'text', bounds: 'An e-mail address. At least 2 characters.' },
  ],
  [
    '"a":{"type":"integer","minimum":1,"maximum":12345678901234567890,"default":1.0}',
    { kind: 'number', default: '1.0', bounds: 'A whole number from 1 to 12345678901234567890.' },
  ],
  ['"a":{"type":"number","maximum":0.50}', { kind: 'number', default: '', bounds: 'A number, at most 0.50.' }],
  ['"a":{"type":"boolean","default":false}', { kind: 'boolean', default: 'false' }],
  ['"a":{"type":"boolean","default":"maybe"}', { kind: 'boolean', default: '' }],
  [
    '"a":{"type":"string","enum":["s","l"],"enumNames":["Small"],"default":"l"}',
    {
      kind: 'choice',
      default: 'l',
      choices: [
        { value: 's', label: 'Small' },
        { value: 'l', label: 'l' },
      ],
    },
  ],
  [
    '"a":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":7}],"default":"x"}',
    { kind: 'choice', default: '', choices: [{ value: 's', label: 'Small' }] },
  ],
  [
    '"a":{"type":"array","minItems":1,"maxItems":2,"items":{"anyOf":[{"const":"s","title":"Small"},{"const":"l"}]},"default":["l","x"]}',
    { kind: 'choices', default: ['l'], bounds: 'Take 1 to 2 choices.' },
  ],
  ['"a":{"type":"string","title":"  ","description":7}', { label: 'a', description: '' }],
])('%s is the field that it says', (properties, field) => {
  expect(fieldsIn(properties)).toMatchObject([{ name: 'a', isRequired: false, ...field }]);
});

test('a schema that is none has no fields, and names that every object has are names', () => {
  for (const schema of [undefined, null, 'x', [], {}])
    expect(fieldsOf(schema === undefined ? {} : { schema })).toEqual([]);
  const fields = fieldsIn('"__proto__":{"type":"string"},"constructor":{"type":"boolean"}', ['__proto__']);
  expect(fields.map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ['__proto__', true],
    ['constructor', false],
  ]);
  const read = readAnswer(fields, { ['__proto__']: 'x' });
  expect('content' in read && JSON.parse(read.content)).toEqual(JSON.parse('{"__proto__":"x"}'));
  expect(fieldsIn('"answer":{"type":"string"}', [], 'text')).toMatchObject([{ label: 'Your answer' }]);
});

test('numbers are sent as they are written, and what is left out is not there', () => {
  const fields = fieldsIn(
    '"n":{"type":"number"},"w":{"type":"integer"},"b":{"type":"boolean"},"t":{"type":"string"},"m":{"type":"array","items":{"enum":["x"]}}',
    ['m'],
  );
  const read = readAnswer(fields, { n: ' 12345678901234567890.10 ', b: 'false', t: '' });
  expect(read).toEqual({ content: '{\n  "n": 12345678901234567890.10,\n  "b": false,\n  "m": []\n}' });
  for (const text of ['1,5', '0x10', '.5', '5.', '+1', 'NaN', '1 000'])
    expect(readAnswer(fields, { w: text }), text).toMatchObject({ problems: new Map([['w', expect.any(String)]]) });
});

test('what is missing is said at each field', () => {
  const fields = fieldsIn('"a":{"type":"string"},"b":{"type":"boolean"},"c":{"type":"string","default":"x"}', [
    'a',
    'b',
    'c',
  ]);
  const read = readAnswer(fields, {});
  expect('problems' in read && [...read.problems.keys()]).toEqual(['a', 'b']);
  // What somebody has emptied does not begin anew with what it had at first.
  const emptied = readAnswer(fields, { a: 'x', b: 'true', c: '' });
  expect('problems' in emptied && [...emptied.problems.keys()]).toEqual(['c']);
});

test('what the platform says is wrong is said at the field that it is about', () => {
  const fields = fieldsIn('"a":{"type":"string"},"a: expected b":{"type":"string"}');
  expect(problemAt(fields, 'content.a: expected a text')).toEqual({ name: 'a', words: 'This is to be a text.' });
  expect(problemAt(fields, 'content.a: expected b is required')).toMatchObject({ name: 'a' });
  expect(problemAt(fields, 'content.a is required')).toEqual({ name: 'a', words: 'Fill this in.' });
  for (const other of ['content: "x" is not asked for', 'content.b is required', 'too late'])
    expect(problemAt(fields, other)).toBeUndefined();
});

test('a time of day says how far it is from UTC, and is the same time', () => {
  for (const local of ['2026-02-03T04:05', '2026-07-03T04:05:06']) {
    const zoned = withZone(local);
    expect(zoned).toMatch(/^2026-0\d-03T04:05:0[06][+-]\d\d:\d\d$/);
    expect(new Date(zoned).getTime()).toBe(new Date(local).getTime());
    expect(withZone(localTime(zoned))).toBe(zoned);
  }
  expect(withZone('soon')).toBe('soon');
  expect(localTime('soon')).toBe('');
});
