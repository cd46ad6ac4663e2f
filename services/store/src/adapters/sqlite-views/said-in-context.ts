import { type EarlierText, type EarlierTexts, latestThatFit, textToTell } from '@stopgo/core';
import { fromBinary, views } from '@stopgo/proto';
import { contextRowsMax, conversationKeyMax } from '../../bounds.ts';
import type { ContextName } from '../../views.ts';
import { messageKey, type ViewTables } from './view-tables.ts';

/** Rows that are read at a time: a message may be large, and mostly few are wanted. */
const rowsPerRead = 16;

type Tables = Pick<ViewTables, 'ofContext' | 'toldBefore'>;

/**
 * The latest of what was said in the conversations of a context: those created last come last, each with its texts in
 * order. At most `contextRowsMax` rows are looked at, conversations and texts together; what else a conversation holds,
 * as results of tools, is not read at all.
 */
export function saidInContext(
  tables: Tables,
  context: ContextName,
  most: { readonly textsMax: number; readonly bytesMax: number },
): EarlierTexts {
  let rowsLeft = contextRowsMax;
  const newestFirst = function* (): Generator<EarlierText> {
    for (const { key, id } of conversationsOf(tables, context)) {
      if (rowsLeft === 0) return;
      rowsLeft -= 1;
      for (const message of messagesOf(tables, key)) {
        if (rowsLeft === 0) return;
        rowsLeft -= 1;
        const text = textToTell(message);
        if (text !== '') yield { conversationId: id, byUser: message.role === 'user', text };
      }
    }
  };
  const { texts, leftOut } = latestThatFit(newestFirst(), most);
  return { texts, leftOut: leftOut || rowsLeft === 0 };
}

/** The newest first. */
function* conversationsOf(tables: Tables, { id, principal }: ContextName) {
  for (let before = conversationKeyMax + 1; ; ) {
    const some = tables.ofContext(id, principal, before, rowsPerRead);
    yield* some;
    const last = some.at(-1);
    if (last === undefined || some.length < rowsPerRead) return;
    before = last.key;
  }
}

/** The newest first. */
function* messagesOf(tables: Tables, conversation: number): Generator<views.Message> {
  const first = messageKey(conversation, 0);
  for (let before = messageKey(conversation + 1, 0); ; ) {
    const some = tables.toldBefore(first, before, rowsPerRead);
    for (const { bytes } of some) yield fromBinary(views.MessageSchema, bytes);
    const last = some.at(-1);
    if (last === undefined || some.length < rowsPerRead) return;
    before = last.key;
  }
}
