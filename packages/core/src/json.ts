/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Canonical JSON (RFC 8785): equal values give equal text. Keys are ordered by UTF-16 code units, numbers and strings
 * are written as ECMAScript writes them. Throws a TypeError for what JSON cannot say (NaN, lone surrogates, undefined).
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`not a JSON number: ${value}`);
    return JSON.stringify(value);
  }
  if (typeof value === 'string') {
    if (/\p{Surrogate}/u.test(value)) throw new TypeError('a string holds half of a surrogate pair');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`not a JSON value: ${typeof value}`);
  const object = value as { readonly [key: string]: Json };
  const members = Object.keys(object)
    .sort()
    .map((key) => `${canonicalJson(key)}:${canonicalJson(object[key] as Json)}`);
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
