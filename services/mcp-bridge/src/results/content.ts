import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import {
  byteLength,
  type CutText,
  canonicalJson,
  parseJson,
  structuredBytesMax,
  textBytesMax,
  visibleLine,
} from '@stopgo/core';
import { type Attachment, attachmentsOf } from './attachments.ts';
import { cutResult } from './cut-result.ts';

/** The result of a call as the model reads it; `cut` is present if the whole was longer than `textBytesMax`. */
export type ResultText = CutText & {
  /** What it holds beside text, in order; absent: nothing. */
  readonly attachments?: readonly Attachment[];
  /** The structured part as JSON, where the text is not that already; absent: there is none, or it is too long. */
  readonly structuredJson?: string;
};

/** Longest name, type or address of a block that its line repeats, in characters. */
const labelCharactersMax = 200;

/**
 * A result as one text: text blocks and texts of embedded resources as they are, any other block as one line that names
 * it, `structuredContent` as JSON if there is no text at all. Cut at `textBytesMax`, after `clean` has taken out what must
 * not be kept. `note` stands before it, on a line of its own.
 */
export function resultText(
  result: Pick<CallToolResult, 'content' | 'structuredContent'>,
  clean: (text: string) => string,
  note = '',
): ResultText {
  const texts = result.content.filter(hasText);
  const structured = result.structuredContent;
  const asText = () => structuredText(structured, mediaIn(result.content));
  const lines = result.content.map((block) => blockText(block, clean));
  if (texts.length === 0 && structured !== undefined) lines.push(asText());
  if (note !== '') lines.unshift(note);
  const attachments = attachmentsOf(result.content);
  const kept = cutResult(clean(wellFormed(lines.join('\n'))), textBytesMax);
  const beside = structured === undefined || texts.length === 0 ? '' : clean(wellFormed(asText()));
  const isBeside = beside.startsWith('{') && byteLength(beside) <= structuredBytesMax && !isSaidBy(kept.text, beside);
  return {
    ...kept,
    ...(attachments.length === 0 ? {} : { attachments }),
    ...(isBeside ? { structuredJson: beside } : {}),
  };
}

/** Whether a text is that JSON already, however it is laid out: most servers write their structured part into a text, too. */
function isSaidBy(text: string, json: string): boolean {
  if (!/^\s*\{/u.test(text)) return false;
  const [said, structured] = [parseJson(text), parseJson(json)];
  try {
    return said !== undefined && structured !== undefined && canonicalJson(said) === canonicalJson(structured);
  } catch {
    // Deeper than can be compared, or no JSON that others would read in the same way.
    return false;
  }
}

function hasText(block: ContentBlock): boolean {
  return block.type === 'text' || (block.type === 'resource' && 'text' in block.resource);
}

function blockText(block: ContentBlock, clean: (text: string) => string): string {
  const label = (text: string) => shownLabel(clean(text));
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${label(block.mimeType)}, ${decodedBytes(block.data)} bytes]`;
    case 'resource_link':
      return `[resource link ${label(block.name)} ${label(block.uri)}]`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return resource.text;
      const type = label(resource.mimeType ?? 'of unknown type');
      return `[resource ${label(resource.uri)} ${type}, ${decodedBytes(resource.blob)} bytes]`;
    }
  }
}

/** For what holds no token any more: half of one is not found. */
function shownLabel(text: string): string {
  return visibleLine(text.slice(0, labelCharactersMax));
}

/** The base64 texts of the blocks, which are kept as what they are; each spelt as {@link bareBase64} does. */
function mediaIn(content: readonly ContentBlock[]): ReadonlySet<string> {
  return new Set(
    content.flatMap((block) => {
      if (block.type === 'image' || block.type === 'audio') return [bareBase64(block.data)];
      return block.type === 'resource' && 'blob' in block.resource ? [bareBase64(block.resource.blob)] : [];
    }),
  );
}

/** A shorter text is told as it is: it costs a model little, and may be a word that only looks like base64. */
const bytesMin = { inBlock: 64, besideMediaType: 1_024 };

const notBase64 = /[^A-Za-z0-9+/]/;

/** Types of media whose content is words, whatever it looks like. */
const words = /^text\/|[/+](?:json|xml|yaml|javascript)\b/i;

/**
 * The structured part as JSON. Many servers repeat in it what their blocks hold: base64 that a block holds too, or that stands beside a
 * type of media that is no text, is told by its size, since no model can read it. Anything that may be words is left as it is. A value
 * that is nested so deeply that it cannot be written out comes as the word that it was there: the call ran.
 */
function structuredText(structured: unknown, media: ReadonlySet<string>): string {
  function withoutBytes(this: unknown, key: string, value: unknown): unknown {
    if (typeof value !== 'string' || value.length < bytesMin.inBlock) return value;
    const { mimeType } = this as { mimeType?: unknown };
    const isBeside =
      value.length > bytesMin.besideMediaType &&
      (key === 'data' || key === 'blob') &&
      typeof mimeType === 'string' &&
      !words.test(mimeType);
    // What a block holds is never words: no word is so long.
    const isBytes = media.has(bareBase64(value)) || (isBeside && isBase64(value));
    return isBytes ? `[${decodedBytes(value)} bytes]` : value;
  }
  try {
    return JSON.stringify(structured, withoutBytes);
  } catch {
    return '[structured result, nested too deeply]';
  }
}

/** A text in base64 in one spelling, so that two can be compared: the usual alphabet, no line breaks and no padding. */
function bareBase64(text: string): string {
  const line = text.replace(/[\r\n]+/g, '').replace(/={1,2}$/, '');
  return line.replaceAll('-', '+').replaceAll('_', '/');
}

function isBase64(text: string): boolean {
  const bare = bareBase64(text);
  return bare.length % 4 !== 1 && !notBase64.test(bare);
}

/** Size of what a base64 text stands for, in bytes. */
function decodedBytes(base64: string): number {
  return Buffer.byteLength(bareBase64(base64), 'base64');
}

/** Halves of surrogate pairs cannot be written as UTF-8, so they become the replacement character. */
function wellFormed(text: string): string {
  return /\p{Surrogate}/u.test(text) ? Buffer.from(text, 'utf8').toString('utf8') : text;
}
