import { openApiOf } from '@stopgo/gateway/description';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

// biome-ignore lint/suspicious/noExplicitAny: whatever JSON it is
type Json = any;

/** What a gateway answered, as far as its description says something of it. */
export type Answered = {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
};

const document: Json = closed(openApiOf('tested'));

const operations = Object.entries<Json>(document.paths)
  // A path of words is meant before one that has a parameter in their place.
  .toSorted(([a], [b]) => words(b) - words(a))
  .map(([path, methods]) => ({ path, pattern: patternOf(path), methods }));

const ajv = new Ajv2020({ allErrors: true, strict: false, formats: formats() });
ajv.addSchema({ $id: 'document', components: document.components } as object);
const validators = new Map<unknown, ValidateFunction>();

/** What is wrong with an answer by the API's own description; empty: nothing. A path of another protocol is not described. */
export function problemsOf(answered: Answered, text: string): readonly string[] {
  const described = describedAnswer(answered);
  if (described === undefined || typeof described === 'string') return described === undefined ? [] : [described];
  const where = `${answered.method} ${answered.path} ${answered.status}`;
  const content = described.content?.[jsonType];
  if (content === undefined) return [`${where}: the description has no JSON for it`];
  return problemsIn(where, content.schema, JSON.parse(text));
}

/** The same of one event of an event stream. */
export function problemsOfEvent(answered: Answered, name: string, data: string): readonly string[] {
  const described = describedAnswer(answered);
  if (described === undefined || typeof described === 'string') return described === undefined ? [] : [described];
  const events = described.content?.['text/event-stream']?.['x-events'];
  const schema = events?.[name] ?? events?.['*'];
  const where = `${answered.method} ${answered.path}, event ${name}`;
  return schema === undefined ? [`${where}: it is not described`] : problemsIn(where, schema, JSON.parse(data));
}

const jsonType = 'application/json';

/** The description of an answer, or what is wrong with it; undefined for one that the description says nothing of. */
function describedAnswer({ method, path, status }: Answered): Json | string | undefined {
  const found = operations.find(({ pattern }) => pattern.test(path));
  const operation = found?.methods[method.toLowerCase()];
  if (operation === undefined)
    return status === 404 || status === 405 || isOfOthers(path) ? undefined : `${method} ${path}: it is not described`;
  const response = operation.responses?.[String(status)];
  if (response === undefined) return `${method} ${found?.path} answers ${status}, which is not described`;
  return typeof response.$ref === 'string' ? at(response.$ref) : response;
}

/** A2A has descriptions of its own, links are pages, and under /api the web app answers. */
const isOfOthers = (path: string): boolean =>
  path === '/' ||
  /^\/(?:a2a|api|links|v1|tasks|message:|extendedAgentCard|\.well-known)\b/.test(path) ||
  path.includes(':');

function problemsIn(where: string, schema: Json | undefined, value: unknown): readonly string[] {
  if (schema === undefined) return [`${where}: it has no schema`];
  let validate = validators.get(schema);
  if (validate === undefined) {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    validate = ajv.compile(JSON.parse(text));
    validators.set(schema, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${where}${instancePath}: ${message} ${JSON.stringify(params)}`,
  );
}

/** What a reference within the document points to. */
const at = (ref: string): Json =>
  ref
    .split('/')
    .slice(1)
    .reduce((value, name) => value[name], document);

function words(path: string): number {
  return path.split('/').filter((part) => part !== '' && !part.startsWith('{')).length;
}

/** The names of agents hold slashes. */
function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith('{') ? '[^/]+' : part.replaceAll('.', '\\.')));
  const text = parts.join('/');
  return new RegExp(`^${path.startsWith('/agents/') ? text.replace('[^/]+', '.+') : text}$`);
}

/** The same with every object closed: clients may be told more by a later release, and these tests not by this one. */
function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, name === 'example' ? member : closed(member)]);
  const isObject = value.type === 'object' && value.properties !== undefined;
  const open = isObject && value.additionalProperties === undefined;
  return Object.fromEntries(open ? [...members, ['additionalProperties', false]] : members);
}

function formats(): Readonly<Record<string, RegExp>> {
  return {
    uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/,
  };
}
