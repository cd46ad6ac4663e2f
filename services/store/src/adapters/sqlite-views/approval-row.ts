import { timestampMs } from '@bufbuild/protobuf/wkt';
import { askingsOf, assigneeOf, type ConversationState, isAskedOfAll, overdueFrom, principalOf } from '@stopgo/core';
import { toBinary, views } from '@stopgo/proto';
import type { PendingApproval } from './hot-conversation.ts';
import type { ViewTables } from './view-tables.ts';

/** Writes the row of an approval of a conversation, inside the caller's transaction. */
export function writeApproval(
  tables: Pick<ViewTables, 'writeApproval' | 'insertAsking' | 'deleteAskings'>,
  conversation: { readonly key: number; readonly state: ConversationState },
  { key, approval }: PendingApproval,
): void {
  const owner = principalOf(conversation.state);
  tables.writeApproval(
    key,
    approval.id,
    conversation.key,
    approval.status,
    approval.byPolicy ? null : approval.runId,
    owner,
    approval.tool,
    approval.server,
    approval.node,
    approval.requestedAt === undefined ? 0 : timestampMs(approval.requestedAt),
    isAskedOfAll(approval) ? 1 : 0,
    overdueFrom(approval) ?? null,
    assigneeOf(approval),
    conversation.state.agentName,
    toBinary(views.ApprovalSchema, approval),
  );
  // Found without words: no turn pays for rules that it does not have.
  if (isAskedOfAll(approval)) return;
  tables.deleteAskings(key);
  if (approval.status !== views.ApprovalStatus.PENDING) return;
  for (const { asked, from, notBy } of askingsOf(approval, owner))
    tables.insertAsking(asked, key, from, JSON.stringify(notBy));
}
