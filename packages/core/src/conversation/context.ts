/**
 * Conversations of one context: each is a task of its own, and is told when it is created what was said in those before.
 * That is put on its record, so that what a model was told needs no other stream to be told again.
 */
import type { views } from '@stopgo/proto';
import { contextIdBytesMax } from '../text/bounds.ts';
import { byteLength, cutBytesMin, cutText } from '../text/cut.ts';
import { invalidArgument } from '../text/errors.ts';
import { decisionTexts } from '../text/texts.ts';

/** A text that somebody said in a conversation of a context. */
export type EarlierText = {
  readonly conversationId: string;
  /** The agent said it otherwise. */
  readonly byUser: boolean;
  readonly text: string;
};

/** What was said before in a context: the latest of it, the oldest first. */
export type EarlierTexts = {
  readonly texts: readonly EarlierText[];
  /** True if more was said before that. */
  readonly leftOut: boolean;
};

/** Nothing was said before. */
export const nothingEarlier: EarlierTexts = { texts: [], leftOut: false };

const unprintable = /[\p{Cc}\p{Cs}]/u;

/** @throws DomainError `invalid_argument` for what cannot name a context. */
export function checkContextId(contextId: string): void {
  const bytes = byteLength(contextId);
  if (bytes > contextIdBytesMax)
    throw invalidArgument(`the context id is ${bytes} bytes long; at most ${contextIdBytesMax} are taken`);
  if (unprintable.test(contextId)) throw invalidArgument('the context id has control characters; leave them out');
}

const decisions: ReadonlySet<string> = new Set(Object.values(decisionTexts));

/** The text that a message says to whoever hears of the conversation later; empty for prompts, calls and decisions. */
export function textToTell({ role, content, toolCall }: views.Message): string {
  if (toolCall !== undefined || (role !== 'user' && role !== 'assistant')) return '';
  return role === 'user' && decisions.has(content) ? '' : content;
}

/**
 * As many of the latest texts as fit, given the latest first. The first one that does not fit is cut and marked, if there
 * is room for that; no more are asked for.
 */
export function latestThatFit(
  newestFirst: Iterable<EarlierText>,
  { textsMax, bytesMax }: { readonly textsMax: number; readonly bytesMax: number },
): EarlierTexts {
  const texts: EarlierText[] = [];
  let room = bytesMax;
  for (const one of newestFirst) {
    if (texts.length === textsMax) return { texts, leftOut: true };
    const bytes = byteLength(one.text);
    if (bytes > room) {
      if (room >= cutBytesMin) texts.unshift({ ...one, text: cutText(one.text, room).text });
      return { texts, leftOut: true };
    }
    texts.unshift(one);
    room -= bytes;
  }
  return { texts, leftOut: false };
}
