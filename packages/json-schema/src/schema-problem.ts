import { type Json, visibleText } from '@stopgo/core';

type ObjectSchema = { readonly [key: string]: Json };

/** Longest problem that is told, in characters: a schema may name a thousand properties. */
const problemCharactersMax = 500;

/** What is wrong with a value, as it may be told: bounded, on one line, with nothing hidden. Only for what holds no token any more. */
export function shownProblem(text: string): string {
  const cut = text.length > problemCharactersMax ? `${text.slice(0, problemCharactersMax)}…` : text;
  return visibleText(cut).replaceAll('\n', ' ');
}

const typeNames: ReadonlySet<Json> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const oneSchema = ['additionalProperties', 'items', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'] as const;
const manySchemas = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const;
const namedSchemas = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;

/**
 * What makes no sense in a schema, and where; undefined if nothing does. Validators take much of it for no rule at all, and
 * a model's provider may refuse everything for it. The schema must be within the bounds of definitions.
 */
export function schemaProblem(schema: Json, at = '#'): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return `${at} is no schema`;
  const { type, required } = schema;
  const types: readonly Json[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (!types.every((one) => typeNames.has(one))) return `"type" is none at ${at}`;
  // Before there was a list of names, each property said it of itself.
  const isList = Array.isArray(required) && required.every((name) => typeof name === 'string');
  if (required !== undefined && typeof required !== 'boolean' && !isList)
    return `"required" is no list of names at ${at}`;
  return (
    firstProblem(oneSchema, (key) => {
      const inner = schema[key];
      // A list stood in `items` before `prefixItems` did.
      if (key === 'items' && Array.isArray(inner)) return listProblem(inner, `${at}/${key}`);
      return inner === undefined ? undefined : schemaProblem(inner, `${at}/${key}`);
    }) ??
    firstProblem(manySchemas, (key) => {
      const list = schema[key];
      if (list === undefined) return undefined;
      return Array.isArray(list) ? listProblem(list, `${at}/${key}`) : `"${key}" is no list at ${at}`;
    }) ??
    firstProblem(namedSchemas, (key) => {
      const named = schema[key];
      if (named === undefined) return undefined;
      if (!isObject(named)) return `"${key}" is no object at ${at}`;
      return firstProblem(Object.entries(named), ([name, inner]) => schemaProblem(inner, `${at}/${key}/${name}`));
    })
  );
}

function listProblem(schemas: readonly Json[], at: string): string | undefined {
  return firstProblem([...schemas.entries()], ([index, inner]) => schemaProblem(inner, `${at}/${index}`));
}

function firstProblem<T>(places: readonly T[], look: (place: T) => string | undefined): string | undefined {
  for (const place of places) {
    const problem = look(place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isObject(value: Json | undefined): value is ObjectSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
