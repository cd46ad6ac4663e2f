import type { Json } from '@stopgo/core';

/** JSON values that a plain schema has at most: each object in a value is held against all names of its schema. */
const schemaNodesMax = 300;
/** JSON values that a small value has at most. */
const valueNodesMax = 1_000;

/** Keywords whose value is held against one place of a value, or is not looked at by the check at all. */
const plainKeywords: ReadonlySet<string> = new Set([
  ...['type', 'enum', 'const', 'required', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['$schema', 'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
]);

/**
 * True for a schema against which a small value is checked in no time, whatever both hold: it has no regular expression, leads
 * nowhere else, and holds each place of a value against one place of its own.
 */
export function isPlainSchema(schema: Json): boolean {
  return hasAtMost(schema, schemaNodesMax) && isPlain(schema);
}

/** True for a value of few parts. What a server sends may be circular only where it is too large as well. */
export function isSmallValue(value: unknown): boolean {
  return hasAtMost(value, valueNodesMax);
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

function hasAtMost(value: unknown, nodesMax: number): boolean {
  const open: unknown[] = [value];
  for (let nodes = 1; open.length > 0; nodes++) {
    if (nodes > nodesMax) return false;
    const one = open.pop();
    if (typeof one !== 'object' || one === null) continue;
    const parts = Object.values(one);
    if (parts.length > nodesMax) return false;
    open.push(...parts);
  }
  return true;
}
