import { type ConversationState, principalOf } from '@stopgo/core';
import { toBinary, views } from '@stopgo/proto';
import type { PendingApproval } from './hot-conversation.ts';
import type { ViewTables } from './view-tables.ts';

/** Writes the row of an approval of a conversation, inside the caller's transaction. */
export function writeApproval(
  tables: Pick<ViewTables, 'writeApproval'>,
  conversation: { readonly key: number; readonly state: ConversationState },
  { key, approval }: PendingApproval,
): void {
  tables.writeApproval(
    key,
    approval.id,
    conversation.key,
    approval.status,
    approval.byPolicy ? null : approval.runId,
    principalOf(conversation.state),
    toBinary(views.ApprovalSchema, approval),
  );
}
