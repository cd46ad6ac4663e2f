import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { type CutText, textBytesMax, visibleLine } from '@stopgo/core';
import { cutResult } from './cut-result.ts';

/** The result of a call as the model reads it; `cut` is present if the whole was longer than `textBytesMax`. */
export type ResultText = CutText;

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
  const lines = result.content.map((block) => blockText(block, clean));
  if (texts.length === 0 && structured !== undefined) lines.push(structuredText(structured));
  if (note !== '') lines.unshift(note);
  return cutResult(clean(wellFormed(lines.join('\n'))), textBytesMax);
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

/** A value that is nested so deeply that it cannot be written out comes as the word that it was there: the call ran. */
function structuredText(structured: unknown): string {
  try {
    return JSON.stringify(structured);
  } catch {
    return '[structured result, nested too deeply]';
  }
}

/** Size of what a base64 text stands for, in bytes. */
function decodedBytes(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}

/** Halves of surrogate pairs cannot be written as UTF-8, so they become the replacement character. */
function wellFormed(text: string): string {
  return /\p{Surrogate}/u.test(text) ? Buffer.from(text, 'utf8').toString('utf8') : text;
}
