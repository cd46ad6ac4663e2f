import { toBinary, views } from '@stopgo/proto';
import type { PendingApproval } from './hot-conversation.ts';
import type { ViewTables } from './view-tables.ts';

/** Writes the row of an approval of the conversation of this key, inside the caller's transaction. */
export function writeApproval(
  tables: Pick<ViewTables, 'writeApproval'>,
  conversation: number,
  { key, approval }: PendingApproval,
): void {
  tables.writeApproval(
    key,
    approval.id,
    conversation,
    approval.status,
    approval.byPolicy ? null : approval.runId,
    toBinary(views.ApprovalSchema, approval),
  );
}
