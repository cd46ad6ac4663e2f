import { byteLength, invalidArgument, type Json } from '@stopgo/core';
import { type JsonObject, malformed } from '@stopgo/http';

/**
 * A text member of a body; undefined if it is absent or null.
 *
 * @throws DomainError `invalid_argument` if it is no text, holds a NUL character or is longer than `bytesMax` of UTF-8.
 */
export function textMember(body: JsonObject, name: string, bytesMax: number): string | undefined {
  const value: Json | undefined = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw malformed(`"${name}" must be a text`);
  if (value.includes('\0')) throw invalidArgument(`"${name}" holds a NUL character; leave it out`);
  const bytes = byteLength(value);
  if (bytes > bytesMax) {
    throw invalidArgument(`"${name}" has ${bytes} bytes of UTF-8; at most ${bytesMax} are allowed`);
  }
  return value;
}
