import { createHash } from 'node:crypto';
import { blobBytesMax, invalidArgument, type Json } from '@stopgo/core';
import { type JsonObject, malformed, refuseUnknownMembers } from '@stopgo/http';
import { textMember } from './request-text.ts';

/** A file that a person gives. */
export type GivenFile = { readonly name: string; readonly mediaType: string; readonly bytes: Uint8Array };

const nameBytesMax = 1_024;
const mediaTypeBytesMax = 256;
/** Characters of base64 that the largest file has. */
const base64Max = 4 * Math.ceil(blobBytesMax / 3);

/**
 * The file that a body holds under `file`; undefined if there is none.
 *
 * @throws DomainError `invalid_argument` for one that cannot be read.
 */
export function fileIn(body: JsonObject): GivenFile | undefined {
  const { file } = body;
  if (file === undefined || file === null) return undefined;
  if (typeof file !== 'object' || Array.isArray(file)) throw malformed('"file" must be an object');
  const object = file as JsonObject;
  refuseUnknownMembers(object, ['name', 'media_type', 'base64'], 'file');
  return {
    name: textMember(object, 'name', nameBytesMax) ?? '',
    mediaType: textMember(object, 'media_type', mediaTypeBytesMax) ?? '',
    bytes: bytesOf(object.base64),
  };
}

/** What a body is known by when it comes again: of a file its digest, instead of megabytes. */
export function identified(body: JsonObject, file: GivenFile | undefined): JsonObject {
  if (file === undefined) return body;
  const { name, mediaType, bytes } = file;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...body, file: { name, media_type: mediaType, sha256 } };
}

function bytesOf(base64: Json | undefined): Uint8Array {
  if (typeof base64 !== 'string' || base64 === '') throw invalidArgument('file.base64 must hold the bytes in base64');
  // Before anything is decoded: that takes as much memory again.
  if (base64.length > base64Max)
    throw invalidArgument(`file: it is too large; at most ${blobBytesMax} bytes are taken`);
  const bytes = Buffer.from(base64, 'base64');
  // The decoder leaves out what it does not know: a file with a hole in it would be taken.
  if (bytes.toString('base64') !== base64)
    throw invalidArgument('file.base64 is no base64: letters, digits, + and /, padded with =');
  return bytes;
}
