import type { Json } from '@stopgo/core';

/** JSON values that a plain schema has at most: each object in a value is held against all names of its schema. */
const schemaPartsMax = 300;
/** JSON values that a small value has at most. */
const valuePartsMax = 1_000;
/**
 * Characters of names and texts that either has at most: the path to a place is written at each level, and a text that has a
 * longest length is counted through.
 */
const charactersMax = 65_536;

/** Keywords whose value is held against one place of a value, or is not looked at by the check at all. */
const plainKeywords: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'required', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['$schema', 'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
]);

/**
 * True for a schema against which a small value is checked in no time: it has no regular expression, leads
 * nowhere else, and holds each place of a value against one place of its own.
 */
export function isPlainSchema(schema: Json): boolean {
  return hasAtMost(schema, schemaPartsMax, charactersMax) && isPlain(schema);
}

/** True for a value of few parts with short names and texts. One that is in itself has too many. */
export function isSmallValue(value: unknown): boolean {
  return hasAtMost(value, valuePartsMax, charactersMax);
}

function isPlain(schema: Json): boolean {
  if (typeof schema === 'boolean') return true;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return false;
  return Object.entries(schema).every(([keyword, value]) => {
    if (keyword === 'items' || keyword === 'additionalProperties') return isPlain(value);
    if (keyword !== 'properties') return plainKeywords.has(keyword);
    return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isPlain);
  });
}

/** Looks at no more than that, whatever the value is. */
function hasAtMost(value: unknown, partsMax: number, charactersMax: number): boolean {
  const open: unknown[] = [value];
  let parts = 1;
  let characters = 0;
  for (let one = open.pop(); ; one = open.pop()) {
    if (typeof one === 'string') characters += one.length;
    else if (Array.isArray(one)) {
      parts += one.length;
      if (parts > partsMax) return false;
      open.push(...one);
    } else if (typeof one === 'object' && one !== null)
      for (const [name, part] of members(one)) {
        parts += 1;
        characters += name.length;
        if (parts > partsMax) return false;
        open.push(part);
      }
    if (characters > charactersMax) return false;
    if (open.length === 0) return true;
  }
}

/** One after the other: an object may have millions of them. */
function* members(value: object): Generator<[string, unknown]> {
  for (const name in value) if (Object.hasOwn(value, name)) yield [name, value[name as keyof typeof value]];
}
