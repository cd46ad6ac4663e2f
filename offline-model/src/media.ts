import { createHash } from 'node:crypto';
import { isObject } from './json.ts';
import { Refusal } from './refusal.ts';

/** An image, a sound or a document that a tool returned, as it arrived. */
export type Media = { readonly mediaType: string; readonly bytes: number; readonly sha256: string };

/** What begins a file of a type, as latin1: of these types nothing else is taken, as with the services. */
const beginnings: Readonly<Record<string, string>> = {
  'image/png': '\x89PNG',
  'image/jpeg': '\xff\xd8\xff',
  'image/gif': 'GIF8',
  'image/webp': 'RIFF',
  'application/pdf': '%PDF-',
};

/** Reads base64 of a type; refuses (400) what is empty, no base64, or of another type than is said. */
export function readMedia(mediaType: unknown, base64: unknown, at: string): Media {
  if (typeof mediaType !== 'string' || mediaType === '') throw new Refusal(400, `${at}: the media type is missing`);
  if (typeof base64 !== 'string' || base64 === '' || !/^[A-Za-z0-9+/]+=*$/.test(base64))
    throw new Refusal(400, `${at}: the data must be base64`);
  const bytes = Buffer.from(base64, 'base64');
  const beginning = beginnings[mediaType];
  if (beginning !== undefined && !bytes.toString('latin1', 0, 8).startsWith(beginning))
    throw new Refusal(400, `${at}: the data is no ${mediaType}`);
  return { mediaType, bytes: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Reads a data URL. */
export function readDataUrl(url: unknown, at: string): Media {
  const [, mediaType, base64] = /^data:([^;,]+);base64,(.*)$/s.exec(String(url)) ?? [];
  if (mediaType === undefined) throw new Refusal(400, `${at}: must be a data URL of base64`);
  return readMedia(mediaType, base64, at);
}

/** The media of a value of the form `{ inlineData: { mimeType, data } }`; undefined for any other. */
export function readInlineData(part: unknown, at: string): Media | undefined {
  const inline: unknown = isObject(part) ? part.inlineData : undefined;
  return isObject(inline) ? readMedia(inline.mimeType, inline.data, at) : undefined;
}

/** What an answer says of a media that it saw. */
export function mediaLine({ mediaType, bytes, sha256 }: Media): string {
  return `I was shown ${mediaType} of ${bytes} bytes, SHA-256 ${sha256}.`;
}
