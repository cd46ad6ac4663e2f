import { error } from '../api/error.ts';
import type { Answer } from '../json-text.ts';
import { type DescribedAnswer, type Endpoint, errorExample, headerTexts, jsonType } from './endpoint.ts';
import { type JsonSchema, jsonSchemaOf, type NamedSchemas } from './json-schema.ts';

/** The description of the API as an OpenAPI 3.1 document, made from the schemas that requests are checked with. */
export function openApi(
  { title, description, version }: { readonly title: string; readonly description: string; readonly version: string },
  endpoints: readonly Endpoint[],
): JsonSchema {
  const schemas: NamedSchemas = {};
  const paths: { [path: string]: { [method: string]: JsonSchema } } = {};
  for (const endpoint of endpoints) {
    const path = openPath(endpoint.path);
    paths[path] ??= {};
    paths[path][endpoint.method.toLowerCase()] = operation(endpoint, schemas);
  }
  const responses = sharedResponses(schemas);
  return {
    openapi: '3.1.0',
    info: { title, description, version },
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      responses,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
    // Where nobody signs in, nothing is needed.
    security: [{}, { bearer: [] }, { apiKey: [] }],
  };
}

/** `/agents/*name/memories/:key` as `/agents/{name}/memories/{key}`. */
export const openPath = (path: string): string => path.replaceAll(/[:*](\w+)/g, '{$1}');

function operation(endpoint: Endpoint, schemas: NamedSchemas): JsonSchema {
  const { method, path, summary, description, isOpen, request, responses } = endpoint;
  const answers = Object.entries(responses).map(([status, one]) => [status, answerOf(one, schemas)] as const);
  return {
    operationId: operationId(method, path),
    tags: [path.split('/')[1]],
    summary,
    description,
    ...(isOpen ? { security: [{}] } : {}),
    parameters: parametersOf(endpoint, schemas),
    ...(request === undefined
      ? {}
      : {
          requestBody: {
            required: Object.values(request.schema.shape).some(
              (member) => member.safeParse(undefined).success === false,
            ),
            content: {
              [request.content_type]: { schema: jsonSchemaOf(request.schema, schemas), example: request.example },
            },
          },
        }),
    responses: Object.fromEntries([...sharedBy(endpoint), ...answers].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** `getConversationsById`, for what is made from the document. */
function operationId(method: string, path: string): string {
  const words = path.split('/').filter((part) => part !== '');
  const named = words.map((word) => (/^[:*]/.test(word) ? `By${capital(word.slice(1))}` : capital(word)));
  return `${method.toLowerCase()}${named.join('')}`;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).replaceAll(/\W+/g, '');

function parametersOf({ path, query, headers = [] }: Endpoint, schemas: NamedSchemas): JsonSchema[] {
  const inPath = [...path.matchAll(/[:*](\w+)/g)].map(([, name]) => ({
    ...{ name, in: 'path', required: true, schema: { type: 'string' } },
  }));
  const asked = query === undefined ? {} : jsonSchemaOf(query, schemas);
  const inQuery = Object.entries((asked.properties ?? {}) as NamedSchemas).map(
    ([name, { description, ...schema }]) => ({
      ...{ name, in: 'query', required: false, description, schema },
    }),
  );
  const inHeaders = headers.map((name) => ({
    ...{ name, in: 'header', required: false, description: headerTexts[name], schema: { type: 'string' } },
  }));
  return [...inPath, ...inQuery, ...inHeaders];
}

function answerOf(answer: DescribedAnswer, schemas: NamedSchemas): JsonSchema {
  const { description, example, schema = error, content_type: type = jsonType, events } = answer;
  if (type === null) return { description };
  const sent = Object.entries(events ?? {}).map(([name, one]) => [name, jsonSchemaOf(one, schemas)]);
  return {
    description,
    content: {
      [type]: {
        schema: type === jsonType ? jsonSchemaOf(schema, schemas) : { type: 'string' },
        example,
        // OpenAPI 3.1 has no word for the data of events.
        ...(events === undefined ? {} : { 'x-events': Object.fromEntries(sent) }),
      },
    },
  };
}

/** Errors that any operation may answer, whatever it does: those that it does not describe itself. */
const sharedErrors: { readonly [status: string]: { readonly name: string; readonly description: string } } = {
  '400': { name: 'Malformed', description: 'A header, a parameter or the body is malformed; nothing was done.' },
  '401': { name: 'NotSignedIn', description: 'Sign in first, where people sign in.' },
  '403': { name: 'NotAllowed', description: 'Whoever asks may not, or a foreign page asks.' },
  '404': { name: 'NotThere', description: 'There is no such thing, or not for whoever asks.' },
  '413': { name: 'TooLarge', description: 'The body is too large.' },
  '422': { name: 'KeyUsed', description: 'The Idempotency-Key was used for another request.' },
  '429': { name: 'TooMany', description: 'There is too much of it now; try again after Retry-After.' },
  '500': { name: 'Defect', description: 'A defect; the log says more under the id.' },
  '503': {
    name: 'OutOfReach',
    description: 'A service is out of reach, or the gateway stops; try again after Retry-After.',
  },
  '504': { name: 'TimedOut', description: 'A service did not answer in time.' },
};

/** Errors that not every operation may answer, and when one may. */
const onlySome: { readonly [status: string]: (endpoint: Endpoint) => boolean } = {
  '401': ({ isOpen }) => !isOpen,
  '404': ({ path, query }) => /[:*]/.test(path) || query?.shape.conversation !== undefined,
  '413': ({ request }) => request !== undefined,
  '422': ({ headers = [] }) => headers.includes('Idempotency-Key'),
};

const sharedBy = (endpoint: Endpoint) =>
  Object.entries(sharedErrors)
    .filter(([status]) => onlySome[status]?.(endpoint) ?? true)
    .map(([status, { name }]) => [status, { $ref: `#/components/responses/${name}` }] as const);

const sharedResponses = (schemas: NamedSchemas) =>
  Object.fromEntries(
    Object.values(sharedErrors).map(({ name, description }) => [
      name,
      answerOf({ description, example: errorExample('…') }, schemas),
    ]),
  );

/** Fields of a body as a table shows them. */
export function fieldsOf(schema: Endpoint['request']): { readonly [name: string]: Answer } {
  if (schema === undefined) return {};
  const { properties = {}, required = [] } = jsonSchemaOf(schema.schema, {}) as {
    readonly properties?: NamedSchemas;
    readonly required?: readonly string[];
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      {
        type: typeOf(property),
        description: typeof property.description === 'string' ? property.description : '',
        required: required.includes(name),
      },
    ]),
  );
}

/** The type of a value in one word, that of what it may be beside null. */
function typeOf({ type, anyOf }: JsonSchema): string {
  if (Array.isArray(type)) return type.find((one) => one !== 'null');
  if (typeof type === 'string') return type;
  const other = ((anyOf ?? []) as JsonSchema[]).find((one) => one.type !== 'null');
  return other === undefined ? 'any' : typeOf(other);
}
