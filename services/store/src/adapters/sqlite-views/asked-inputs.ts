import { fromBinary, views } from '@stopgo/proto';
import { listBytesMax, listRowsPerRead } from '../../bounds.ts';
import type { AskedInput, AskingKey, Page, Rows } from '../../views.ts';
import type { AskingRow } from './asking-tables.ts';

/** A page of what conversations ask people: to the end of the one that reaches its limit, or about `listBytesMax`. */
export function askedInputs(
  read: (after: AskingKey | undefined, limit: number) => readonly AskingRow[],
  { limit, after: begin }: Page<AskingKey>,
): Rows<AskedInput, AskingKey> {
  const rows: AskedInput[] = [];
  let total = 0;
  let after = begin;
  for (;;) {
    const some = read(after, listRowsPerRead);
    for (const { id, since, key, head } of some) {
      if (rows.length >= limit || total > listBytesMax) return { rows, next: after };
      total += head.byteLength;
      const { pendingInputs } = fromBinary(views.ConversationHeadSchema, head);
      rows.push(...pendingInputs.map((input) => ({ conversationId: id, input })));
      after = { since, key };
    }
    if (some.length < listRowsPerRead) return { rows, next: undefined };
  }
}
