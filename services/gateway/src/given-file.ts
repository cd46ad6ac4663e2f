import { createHash } from 'node:crypto';
import { type JsonObject, refuseUnknownMembers } from '@stopgo/http';
import { givenFile } from './api/given-file.ts';
import { membersOf, saidBy } from './checked-body.ts';

/** A file that a person gives. */
export type GivenFile = { readonly name: string; readonly mediaType: string; readonly bytes: Uint8Array };

/**
 * The file that a body holds under `file`; undefined if there is none.
 *
 * @throws DomainError `invalid_argument` for one that cannot be read.
 */
export function fileIn(body: JsonObject): GivenFile | undefined {
  const { file } = body;
  if (file === undefined || file === null) return undefined;
  if (typeof file === 'object' && !Array.isArray(file))
    refuseUnknownMembers(file as JsonObject, membersOf(givenFile), 'file');
  const { name, media_type: mediaType, base64: bytes } = saidBy(givenFile, file);
  return { name: name ?? '', mediaType: mediaType ?? '', bytes };
}

/** What a body is known by when it comes again: of a file its digest, instead of megabytes. */
export function identified(body: JsonObject, file: GivenFile | undefined): JsonObject {
  if (file === undefined) return body;
  const { name, mediaType, bytes } = file;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...body, file: { name, media_type: mediaType, sha256 } };
}
