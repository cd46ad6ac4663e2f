import { jsonDepthMax } from './bounds.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Canonical JSON (RFC 8785): equal values give equal text. Keys are ordered by UTF-16 code units, numbers and strings
 * are written as ECMAScript writes them. Throws a TypeError for what JSON cannot say (NaN, lone surrogates, undefined) and for
 * values nested deeper than `jsonDepthMax`: whoever sends such a text must not be able to exhaust the stack.
 */
export function canonicalJson(value: Json): string {
  return canonical(value, 0);
}

function canonical(value: Json, depth: number): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`not a JSON number: ${value}`);
    return JSON.stringify(value);
  }
  if (typeof value === 'string') {
    if (/\p{Surrogate}/u.test(value)) throw new TypeError('a string holds half of a surrogate pair');
    return JSON.stringify(value);
  }
  if (typeof value !== 'object') throw new TypeError(`not a JSON value: ${typeof value}`);
  if (depth >= jsonDepthMax) throw new TypeError(`nested deeper than ${jsonDepthMax} levels`);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`;
  const object = value as { readonly [key: string]: Json };
  const members = Object.keys(object)
    .sort()
    .map((key) => `${canonical(key, depth)}:${canonical(object[key] as Json, depth + 1)}`);
  return `{${members.join(',')}}`;
}

/** Parses JSON text; undefined if it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
