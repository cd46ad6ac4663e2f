import { suggest } from '@stopgo/core';
import { z } from 'zod';
import { formatPath, type Problem, problemAt, quote, type YamlPath } from './problem.ts';

/*
 * What is said of a key that its mapping does not have. Most of these are slips: a letter, or a key one level too deep or not
 * deep enough. Such a key is looked up in the mappings around and below, and it is said where it belongs.
 */

/** What people of other programs look for here, by key without signs and capitals. */
const elsewhere: ReadonlyMap<string, string> = new Map(
  Object.entries({
    apikey: 'API keys come from the environment, never from the file',
    baseurl: 'addresses of models come from the environment, such as OPENAI_BASE_URL',
    provider: 'the provider is a part of the name of the model, such as openai:gpt-5',
    headers: 'other headers are not sent; a token is, with auth: static and token_env',
    transport: 'command or url says how a server is reached',
  }),
);

/** What is said of one thing that a schema does not take in a file. `written`: the file's plain data, with keys that have no value. */
export function issueProblems(schema: z.ZodType, issue: z.core.$ZodIssue, written: unknown): Problem[] {
  const { path } = issue;
  if (issue.code !== 'unrecognized_keys') return [problemAt(path, issue.message)];
  const lines = unknownKeyLines(schema, written, path, issue.keys);
  return lines.map((line, index) => problemAt(path, line, [...path, issue.keys[index] ?? '']));
}

/**
 * One line per unknown key of the mapping at `path`, as `schema` describes the whole file. `file`: its plain data, with keys that
 * have no value: `llm:` with its keys beside it shows where they were meant to be.
 */
function unknownKeyLines(schema: z.ZodType, file: unknown, path: YamlPath, keys: readonly string[]): string[] {
  const here = schemaAt(schema, path);
  const known = keysOf(here);
  return keys.map((key) => {
    const belongs = outer(schema, path, key) ?? inner(here, valueAt(file, path), key);
    const meant = suggest(key, known);
    if (belongs !== undefined) {
      const or = meant === undefined ? '' : `; or did you mean "${meant}"?`;
      return `unknown key ${quote(key)}; ${belongs}${or}`;
    }
    if (meant !== undefined) return `unknown key ${quote(key)}; did you mean "${meant}"?`;
    const hint = elsewhere.get(key.toLowerCase().replace(/[^a-z]/g, ''));
    return `unknown key ${quote(key)}; ${hint === undefined ? '' : `${hint}; `}known: ${known.join(', ')}`;
  });
}

/** A key that is indented too far belongs to a mapping around. */
function outer(schema: z.ZodType, path: YamlPath, key: string): string | undefined {
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const around = path.slice(0, length);
    if (!keysOf(schemaAt(schema, around)).includes(key)) continue;
    const where = length === 0 ? 'of the top level' : `of ${formatPath(around)}`;
    return `it is a key ${where}: indent it less`;
  }
  return undefined;
}

/** A key that is not indented far enough belongs to a mapping below: most likely the last one before it. */
function inner(here: z.ZodType | undefined, data: unknown, key: string): string | undefined {
  const all = Object.entries(shapeOf(here)).flatMap(([name, child]) => {
    const bare = bareSchema(child);
    const isList = bare instanceof z.ZodArray;
    const of = isList ? bareSchema(bare.element as z.ZodType) : bare;
    return keysOf(of).includes(key) ? [{ name, isList }] : [];
  });
  const written = typeof data === 'object' && data !== null ? Object.keys(data) : [];
  const before = written.slice(0, Math.max(0, written.indexOf(key)));
  const last = all
    .filter(({ name }) => before.includes(name))
    .toSorted((one, other) => before.indexOf(other.name) - before.indexOf(one.name))[0];
  // The old key for one server is named to nobody who does not use it.
  const candidates = last === undefined ? all.filter(({ name }) => name !== 'mcp') : [last];
  if (candidates.length === 0) return undefined;
  const places = candidates.map(({ name, isList }) => (isList ? `of the entries of "${name}"` : `of "${name}"`));
  const where = places.length === 1 ? places[0] : `${places.slice(0, -1).join(', ')} and ${places.at(-1)}`;
  return `it is a key ${where}: indent it further${last === undefined ? ', below it' : ''}`;
}

function schemaAt(schema: z.ZodType, path: YamlPath): z.ZodType | undefined {
  let at: z.ZodType | undefined = bareSchema(schema);
  for (const part of path) {
    const next: z.ZodType | undefined =
      at instanceof z.ZodArray
        ? (at.element as z.ZodType)
        : at instanceof z.ZodRecord
          ? (at.valueType as z.ZodType)
          : shapeOf(at)[String(part)];
    if (next === undefined) return undefined;
    at = bareSchema(next);
  }
  return at;
}

function valueAt(file: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>(
    (at, part) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[part] : undefined),
    file,
  );
}

/** What stands behind `optional`, defaults and references. */
function bareSchema(schema: z.ZodType): z.ZodType {
  const wraps =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodLazy;
  return wraps ? bareSchema(schema.unwrap() as z.ZodType) : schema;
}

function shapeOf(schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> {
  return schema instanceof z.ZodObject ? (schema.shape as Record<string, z.ZodType>) : {};
}

function keysOf(schema: z.ZodType | undefined): readonly string[] {
  return Object.keys(shapeOf(schema));
}
