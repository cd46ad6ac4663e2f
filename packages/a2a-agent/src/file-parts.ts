// Files in messages: bytes in a part. Nobody here fetches what an address names.
import { isObject } from './dialect.ts';
import { isAbsentOr, mustBeText } from './ids.ts';
import { type Message, RequestMalformedError } from './protocol.ts';

/** A file that a message holds. */
export type SaidFile = {
  /** Empty if it has none. */
  readonly name: string;
  /** As its sender says; empty if he does not. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
};

/** The file of a message, if it holds one. @throws A2AError if it holds more. */
export function fileOf({ parts }: Message): SaidFile | undefined {
  const files = parts.flatMap(({ content, filename, mediaType }): SaidFile[] =>
    content?.$case === 'raw' ? [{ name: filename, mediaType, bytes: content.value }] : [],
  );
  if (files.length > 1)
    throw new RequestMalformedError(
      'the message holds more than one file; answer each question in a message of its own',
    );
  return files[0];
}

/**
 * What is wrong with the files among the parts of a message, in one line; undefined if nothing is. The SDK takes what it can of base64,
 * and a name for what it is: a file with a hole in it would be taken.
 */
export function problemOfFiles(parts: unknown): string | undefined {
  if (!Array.isArray(parts)) return undefined;
  for (const [index, part] of parts.entries()) {
    if (!isObject(part)) continue;
    const where = `message.parts[${index}]`;
    const problem = isObject(part.file)
      ? problemOfFile(part.file, ['bytes', 'name', 'mimeType'], `${where}.file`)
      : problemOfFile(part, ['raw', 'filename', 'mediaType'], where);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfFile(
  file: Readonly<Record<string, unknown>>,
  [bytes, ...texts]: readonly [string, ...string[]],
  where: string,
): string | undefined {
  const { [bytes]: base64 } = file;
  if (base64 === undefined || base64 === null) return undefined;
  const odd = texts.find((name) => !isAbsentOr('string', file[name]));
  if (odd !== undefined) return mustBeText(`${where}.${odd}`);
  return typeof base64 === 'string' && isBase64(base64) ? undefined : `${where}.${bytes} must be bytes in base64`;
}

/** In either alphabet, with padding or without, as the JSON of protocol buffers has it. */
function isBase64(text: string): boolean {
  const letters = text.replace(/={1,2}$/, '');
  return letters.length % 4 !== 1 && /^[A-Za-z0-9+/_-]*$/.test(letters);
}
