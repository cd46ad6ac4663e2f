/** A file that a person gives an agent: its name is data, and its bytes are kept beside the log. */
import type { BlobRef } from '../events/blobs.ts';
import { blobBytesMax, blobNameCharactersMax } from '../text/bounds.ts';
import { canonicalJson } from '../text/json.ts';
import { inQuotes, visibleText } from '../text/visible.ts';

export const fileWanted = 'file: this question asks for one, and for nothing else; give its name, media_type and bytes';
export const fileNotWanted = 'file: this question does not ask for one; leave it out';

/** What is wrong with a file, as a sentence; undefined if it may be given. */
export function fileProblem({ name, size }: Pick<BlobRef, 'name' | 'size'>): string | undefined {
  if (size < 1) return 'file: it is empty';
  if (size > blobBytesMax) return `file: it has ${size} bytes; at most ${blobBytesMax} are taken`;
  if (/[/\\]/.test(name) || name === '.' || name === '..') return 'file.name: give the name alone, without a path';
  if (visibleText(name) !== name || /[\n\t]/.test(name))
    return 'file.name: it holds characters that people do not see; leave them out';
  if (Array.from(name).length > blobNameCharactersMax)
    return `file.name: it has more than ${blobNameCharactersMax} characters`;
  return undefined;
}

/** What the record of the answer says of it. */
export const fileJson = ({ digest, mediaType, name, size }: BlobRef): string =>
  canonicalJson({ digest, media_type: mediaType, name, size });

/** What the agent is told of it beside its content. */
export function fileText({ name, mediaType, size }: BlobRef): string {
  const called = name === '' ? 'a file without a name' : `the file "${inQuotes(name)}"`;
  return `The user gave ${called}: ${mediaType}, ${size} bytes.`;
}
