import { callsPerAnswerMax } from '@stopgo/core';
import { fromBinary, views } from '@stopgo/proto';
import { messageKey, type ViewTables } from './view-tables.ts';

/** Most messages that one event makes: of an answer its text, and each call with its result. */
const messagesPerEventMax = 2 * callsPerAnswerMax + 1;

/**
 * The messages of the event of a revision. They are asked for rarely (for an approval that is requested again, for the
 * answer of a run), so that a search by halves in their own order is cheaper than an index kept for each message.
 */
export function messagesAt(
  tables: Pick<ViewTables, 'messageRevision' | 'messagesFrom'>,
  conversation: number,
  revision: number,
  messageCount: number,
): views.Message[] {
  let low = 1;
  let high = messageCount + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((tables.messageRevision(messageKey(conversation, middle)) ?? revision) < revision) low = middle + 1;
    else high = middle;
  }
  const rows = tables.messagesFrom(
    messageKey(conversation, low),
    messageKey(conversation, low + messagesPerEventMax),
    revision,
    messagesPerEventMax,
  );
  return rows.map((row) => fromBinary(views.MessageSchema, row.bytes));
}
