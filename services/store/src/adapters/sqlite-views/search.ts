import type { views } from '@stopgo/proto';
import { messagesPerConversationMax, queryWordsMax, searchableCharactersMax, searchStepsMax } from '../../bounds.ts';
import { conversationOfMessage, type ViewTables } from './view-tables.ts';

const holdsWord = /[\p{L}\p{N}\p{Co}]/u;

/** The words of a search text in the index's own syntax: each a quoted string, so that nothing in it is an operator. */
export function quotedWords(query: string): string[] {
  const words = query.split(/\s+/u).filter((word) => holdsWord.test(word));
  return [...new Set(words)].slice(0, queryWordsMax).map((word) => `"${word.replaceAll('"', '""')}"`);
}

/** Conversations in which every word occurs, newest first; `next` is where a search goes on that was not finished. */
export type Found = { readonly keys: readonly number[]; readonly next: number | undefined };

/**
 * Finds conversations created before `before`. The words may stand in different messages, so the index is asked word by
 * word for the next older conversation that has it, until all agree. The work is bounded by `searchStepsMax`.
 */
export function search(
  tables: Pick<ViewTables, 'matchBefore'>,
  query: string,
  before: number | undefined,
  limit: number,
  accept: (key: number) => boolean,
): Found {
  const words = quotedWords(query);
  const keys: number[] = [];
  if (words.length === 0) return { keys, next: undefined };
  let steps = 0;
  let candidate = before === undefined ? Number.MAX_SAFE_INTEGER : before - 1;
  for (;;) {
    let agreed = 0;
    for (let index = 0; agreed < words.length; index = (index + 1) % words.length) {
      if (++steps > searchStepsMax) return { keys, next: candidate + 1 };
      const end = Math.min((candidate + 1) * messagesPerConversationMax, Number.MAX_SAFE_INTEGER);
      const match = tables.matchBefore(words[index] ?? '', end);
      if (match === undefined) return { keys, next: undefined };
      const found = conversationOfMessage(match);
      agreed = found === candidate ? agreed + 1 : 1;
      candidate = found;
    }
    if (accept(candidate)) keys.push(candidate);
    if (keys.length === limit) return { keys, next: candidate };
    candidate--;
  }
}

/** What a message can be found by. */
export function searchableText({ content, toolCall }: views.Message): string {
  const parts = [content, toolCall?.name ?? '', toolCall?.argumentsJson ?? '', toolCall?.result ?? ''];
  return parts
    .filter((part) => part !== '')
    .map((part) => part.slice(0, searchableCharactersMax))
    .join(' ')
    .slice(0, searchableCharactersMax);
}
