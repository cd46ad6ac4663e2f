import type { Json } from '@stopgo/core';

/**
 * A reason of the validator, with its place as people write it: `arguments.list[0]["a b"]: …` instead of `#/list/0/a%20b: …`, and
 * `the arguments: …` instead of `#: …`. `root` is the name of the whole value. The places that the validator gives are JSON pointers
 * into the value (RFC 6901), percent-encoded. A reason without a place stays as it is. Never throws.
 */
export function withPath(reason: string, value: Json, root: string): string {
  const [, pointer, words] = /^#(\S*): (.*)$/s.exec(reason) ?? [];
  if (pointer === undefined || words === undefined) return reason;
  if (pointer === '') return `the ${root}: ${words}`;
  let path = root;
  let at: Json | undefined = value;
  for (const step of pointer.slice(1).split('/').map(nameOf)) {
    path += Array.isArray(at) ? `[${step}]` : memberPath(step);
    at = partOf(at, step);
  }
  return `${path}: ${words}`;
}

function nameOf(step: string): string {
  try {
    return decodeURI(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}

function memberPath(name: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function partOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as { readonly [name: string]: Json })[name];
}
