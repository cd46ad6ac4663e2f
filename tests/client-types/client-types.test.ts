import { expect, test } from 'vitest';
import { type Schema, typeOf } from './schema-type.ts';
import { typesText } from './types-text.ts';

test.each<[Schema, string]>([
  [{ type: 'string', format: 'uuid' }, 'string'],
  [{ type: ['integer', 'null'], minimum: 0 }, 'number | null'],
  [{ const: true, type: 'boolean' }, 'true'],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, 'readonly ("a" | "b")[]'],
  [
    { type: 'array', items: { anyOf: [{ type: 'object', properties: {} }, { $ref: '#/x/Y' }] } },
    'readonly (Readonly<Record<string, never>> | Y)[]',
  ],
  [{ $ref: '#/components/schemas/Error' }, 'ErrorAnswer'],
  [{}, 'ExactValue'],
  [{ type: 'object', additionalProperties: {} }, '{\n  readonly [name: string]: ExactValue;\n}'],
  [
    {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'null', description: 'x */ y' }, 'b-c': { type: 'boolean' } },
    },
    '{\n  /** x * / y */\n  readonly a: null;\n  readonly "b-c"?: boolean;\n}',
  ],
])('%j is %j', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

test('what it does not know is not taken for anything', () => {
  expect(() => typeOf({ type: 'array', items: { oneOf: [] } as Schema })).toThrow('nothing of "oneOf"');
  expect(() => typeOf({ type: 'date' })).toThrow('nothing of the type "date"');
});

test('an operation has what goes in and comes out, and says whether a key counts', () => {
  const text = typesText({
    paths: {
      '/things/{id}': {
        post: {
          summary: 'Do it',
          parameters: [
            { name: 'id', in: 'path', schema: {} },
            { name: 'how', in: 'query', schema: { type: 'string' } },
            { name: 'Idempotency-Key', in: 'header', schema: {} },
          ],
          requestBody: { required: true, content: { 'application/json': { schema: { type: 'string' } } } },
          responses: {
            '200': { content: { 'application/json': { schema: { type: 'number' } } } },
            '204': {},
            '400': { content: { 'application/json': { schema: { type: 'boolean' } } } },
          },
        },
      },
      '/page': {
        get: { summary: 'A page', parameters: [], responses: { '200': { content: { 'text/html': { schema: {} } } } } },
      },
    },
    components: { schemas: {} },
  });
  expect(text.slice(text.indexOf('export interface Operations'))).toBe(`export interface Operations {
  /** Do it */
  "POST /things/{id}": {
    readonly path: { readonly id: string };
    readonly query?: {
      readonly how?: string;
    };
    readonly body: string;
    readonly answer: number | undefined;
  };
}

/** The event streams, by their method and path: what each takes, and the data of its events by name; \`*\` is any other. */
export interface Streams {
}

/** Where an Idempotency-Key counts: a repeat under the same key is done once. */
export const keyedOperations: readonly string[] = [
  "POST /things/{id}",
];
`);
});
