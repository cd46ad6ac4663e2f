import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import { type Json, visibleText } from '@stopgo/core';
import { isPlainSchema, isSmallValue } from './plain-schema.ts';
import { TimeBoxed, timeBoxed } from './time-box.ts';

type ObjectSchema = { readonly [key: string]: Json };

/**
 * Says what is wrong with a value, as words that may repeat names in it whole ({@link shownProblem}); undefined if nothing is, or if
 * the schema cannot tell.
 */
export type SchemaCheck = (value: unknown) => string | undefined;

/** Longest problem that is told, in characters: a schema may name a thousand properties. */
const problemCharactersMax = 500;

// It interprets schemas. The other validator of the MCP client makes code of them, and these are a stranger's.
const validator = new CfWorkerJsonSchemaValidator({ shortcircuit: true });

/**
 * The check of one schema that a server gave, which must be within the bounds of definitions. Nothing that a schema refers
 * to is ever fetched. A value that takes the schema longer than `ms` milliseconds is not let through. What the schema
 * cannot tell (it is in another dialect, refers to another document, or is wrong in a place that only some values get to)
 * is left to the server.
 */
export function schemaCheck(schema: ObjectSchema, ms: number): SchemaCheck {
  let validate: ((value: unknown) => Verdict) | undefined;
  const verdictOf = (value: unknown): Verdict => {
    // The types of the validator are those of a schema as it should be.
    validate ??= validator.getValidator(schema as Parameters<typeof validator.getValidator>[0]);
    return validate(value);
  };
  const isPlain = isPlainSchema(schema);
  return (value) => {
    try {
      // The watchdog takes a thread each time, and what it is to bite is not there in most schemas.
      const verdict = isPlain && isSmallValue(value) ? verdictOf(value) : timeBoxed(ms, () => verdictOf(value));
      return verdict.valid ? undefined : innermost(verdict.errorMessage ?? 'it does not match');
    } catch (error) {
      return error instanceof TimeBoxed ? `the schema takes longer than ${ms} ms to check it` : undefined;
    }
  };
}

type Verdict = { readonly valid: boolean; readonly errorMessage?: string | undefined };

/** The last of a chain of reasons, each of which says that the one after it is the matter. */
function innermost(message: string): string {
  return message.split('; ').at(-1) ?? message;
}

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
