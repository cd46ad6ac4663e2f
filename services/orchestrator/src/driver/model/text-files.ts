import { type BlobRef, markedForModel, textBytesMax } from '@stopgo/core';
import type { ModelMedia, ModelToolResult } from '../../models/port.ts';

/** Types of media whose content is words. */
const words = /^text\/|[/+](?:json|xml|yaml|toml|javascript)$|^application\/x-(?:yaml|ndjson|sh)$/;

/** Whether a model is told a blob as text, whatever else it takes. */
export const isText = ({ mediaType }: Pick<BlobRef, 'mediaType'>): boolean => words.test(mediaType);

/** Why a text is not told; undefined if it is none, or may be. */
export function textTooLong(blob: Pick<BlobRef, 'mediaType' | 'size'>): string | undefined {
  return isText(blob) && blob.size > textBytesMax ? `a text has at most ${textBytesMax} bytes` : undefined;
}

/** A result with its media, of which those that are text stand in its text. */
export function withTexts(result: ModelToolResult, all: readonly ModelMedia[]): ModelToolResult {
  const media: ModelMedia[] = [];
  const texts: string[] = [];
  for (const one of all) {
    const text = one.bytes === undefined || !isText(one) ? undefined : decoded(one.bytes);
    if (text !== undefined) texts.push(`[${one.mediaType}, ${one.size} bytes:]\n${text}`);
    else if (isText(one) && one.bytes !== undefined) media.push(notUtf8(one));
    else media.push(one);
  }
  const content = texts.length === 0 ? result.content : [result.content, ...texts].join('\n');
  return { ...result, content, ...(media.length === 0 ? {} : { media }) };
}

/** What people would not see is written out, as in other results. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return markedForModel(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const notUtf8 = ({ digest, mediaType, size }: ModelMedia): ModelMedia => ({
  ...{ digest, mediaType, size },
  leftOut: 'it is no text in UTF-8',
});
