/** What says nothing about a type in TypeScript. */
const silent = [
  ...([
    'format',
    'pattern',
    'minLength',
    'maxLength',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
  ] as const),
  ...(['multipleOf', 'minItems', 'maxItems', 'uniqueItems', 'propertyNames', 'default', 'example'] as const),
] as const;

/** A JSON Schema, as far as the description of the API uses one. */
export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly description?: unknown;
} & { readonly [Name in (typeof silent)[number]]?: unknown };

const understood = [
  '$ref',
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
];
const known = new Set<string>([...silent, ...understood, 'description']);

/** Names of the description that mean something else in TypeScript. */
const renamed: Readonly<Record<string, string>> = { Error: 'ErrorAnswer' };

/** JSON of which nothing is known beforehand. Its numbers stay as they are written. */
const anyValue = 'ExactValue';

/**
 * The type of the values that fit a schema, as TypeScript writes it; `depth`: how far its lines are indented.
 *
 * @throws Error for a word that it does not know: the type would promise too much.
 */
export function typeOf(schema: Schema, depth = 0): string {
  const unknown = Object.keys(schema).find((word) => !known.has(word));
  if (unknown !== undefined) throw new Error(`the types of the client know nothing of "${unknown}" in a schema`);
  const { $ref, type, anyOf } = schema;
  if ($ref !== undefined) return nameIn($ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (anyOf !== undefined) return [...new Set(anyOf.map((one) => typeOf(one, depth)))].join(' | ');
  if (typeof type === 'object') return type.map((one) => typeOf({ ...schema, type: one }, depth)).join(' | ');
  switch (type) {
    case undefined:
      return anyValue;
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly ${elementOf(schema.items ?? {}, depth)}[]`;
    case 'object':
      return objectType(schema, depth);
    default:
      throw new Error(`the types of the client know nothing of the type "${type}" in a schema`);
  }
}

function nameIn(ref: string): string {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return renamed[name] ?? name;
}

/** A name as a member has it: in quotes where it needs them. */
export const memberName = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name));

function elementOf(schema: Schema, depth: number): string {
  const type = typeOf(schema, depth);
  const isOne = /^\w+$/.test(type) || (schema.type === 'object' && type.startsWith('{'));
  return isOne ? type : `(${type})`;
}

function objectType({ properties, required = [], additionalProperties: others }: Schema, depth: number): string {
  const inner = '  '.repeat(depth + 1);
  const members = Object.entries(properties ?? {}).flatMap(([name, one]) => [
    ...(typeof one.description === 'string' ? [`${inner}/** ${one.description.replaceAll('*/', '* /')} */`] : []),
    `${inner}readonly ${memberName(name)}${required.includes(name) ? '' : '?'}: ${typeOf(one, depth + 1)};`,
  ]);
  const rest =
    typeof others === 'object' || properties === undefined
      ? [`${inner}readonly [name: string]: ${typeOf(typeof others === 'object' ? others : {}, depth + 1)};`]
      : [];
  if (members.length + rest.length === 0) return 'Readonly<Record<string, never>>';
  return ['{', ...members, ...rest, `${'  '.repeat(depth)}}`].join('\n');
}
