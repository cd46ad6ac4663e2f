import { openApiOf } from '@stopgo/gateway/description';
import { memberName, typeOf } from './schema-type.ts';

/** The file that is made, from the root of the repository. */
export const typesFile = 'packages/client/src/gen/description.ts';

type Json = Readonly<Record<string, unknown>>;
type Content = { readonly [mediaType: string]: { readonly schema: Json; readonly 'x-events'?: Json } };
type Answer = { readonly $ref?: string; readonly content?: Content };
type Parameter = { readonly name: string; readonly in: string; readonly description?: string; readonly schema: Json };
type Operation = {
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: { readonly [status: string]: Answer };
};
type Document = {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly schemas: { readonly [name: string]: Json } };
};

const jsonType = 'application/json';
const eventsType = 'text/event-stream';

/** The text of the types, made from the description of the API. */
export function typesText(document = openApiOf('any') as unknown as Document): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ name: `${method.toUpperCase()} ${path}`, path, one })),
  );
  return [
    '// Made by `npm run generate` from the description of the API. Do not edit it.',
    "import type { ExactValue } from '../exact-json.ts';",
    '',
    ...Object.entries(document.components.schemas).flatMap(schemaLines),
    '/** What may be asked for that is answered with JSON, by its method and path: what goes into it, and what comes of it. */',
    'export interface Operations {',
    ...operations.flatMap(operationLines),
    '}',
    '',
    '/** The event streams, by their method and path: what each takes, and the data of its events by name; `*` is any other. */',
    'export interface Streams {',
    ...operations.flatMap(streamLines),
    '}',
    '',
    '/** Where an Idempotency-Key counts: a repeat under the same key is done once. */',
    'export const keyedOperations: readonly string[] = [',
    ...operations.filter(({ one }) => takesKey(one)).map(({ name }) => `  ${JSON.stringify(name)},`),
    '];',
    '',
  ].join('\n');
}

type Named = { readonly name: string; readonly path: string; readonly one: Operation };

function schemaLines([name, schema]: [string, Json]): string[] {
  return [`export type ${typeOf({ $ref: `#/${name}` })} = ${typeOf(schema)};`, ''];
}

function operationLines({ name, path, one }: Named): string[] {
  const answers = Object.entries(one.responses).filter(([status]) => status.startsWith('2'));
  if (answers.some(([, { content }]) => content !== undefined && content[jsonType] === undefined)) return [];
  const types = new Set(answers.map(([, { content }]) => (content === undefined ? 'undefined' : typeIn(content))));
  const body = one.requestBody;
  return [
    `  /** ${one.summary} */`,
    `  ${JSON.stringify(name)}: {`,
    ...inputLines(path, one),
    ...(body === undefined ? [] : [`    readonly body${body.required ? '' : '?'}: ${typeIn(body.content, 2)};`]),
    `    readonly answer: ${[...types].join(' | ')};`,
    '  };',
  ];
}

function streamLines({ name, path, one }: Named): string[] {
  const sent = one.responses['200']?.content?.[eventsType]?.['x-events'];
  if (sent === undefined) return [];
  const events = Object.entries(sent).map(
    ([event, schema]) => `      readonly ${memberName(event)}: ${typeOf(schema as Json, 3)};`,
  );
  const lines = ['    readonly events: {', ...events, '    };'];
  return [`  /** ${one.summary} */`, `  ${JSON.stringify(name)}: {`, ...inputLines(path, one), ...lines, '  };'];
}

/** What goes into the path and behind the `?`. */
function inputLines(path: string, { parameters }: Operation): string[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `readonly ${name}: string`);
  const inQuery = parameters.filter((one) => one.in === 'query');
  const query = Object.fromEntries(inQuery.map(({ name, description, schema }) => [name, { ...schema, description }]));
  return [
    ...(inPath.length === 0 ? [] : [`    readonly path: { ${inPath.join('; ')} };`]),
    ...(inQuery.length === 0 ? [] : [`    readonly query?: ${typeOf({ type: 'object', properties: query }, 2)};`]),
  ];
}

const typeIn = (content: Content, depth = 2): string => typeOf(content[jsonType]?.schema ?? {}, depth);

const takesKey = ({ parameters }: Operation): boolean => parameters.some(({ name }) => name === 'Idempotency-Key');
