import { create, views } from '@stopgo/proto';
import { viewApprovalBytesMax } from '../../bounds.ts';

/** An approval, and about how many bytes it takes. */
export type SizedApproval = { readonly approval: views.Approval; readonly bytes: number };

/** A conversation with as many of its pending approvals as fit, the oldest first. */
export function viewOf(
  head: views.ConversationHead,
  approvalOf: (id: string) => SizedApproval | undefined,
): views.ConversationView {
  const view = create(views.ConversationViewSchema);
  view.head = head;
  let total = 0;
  for (const id of head.pendingApprovalIds) {
    const found = approvalOf(id);
    if (found === undefined) continue;
    total += found.bytes;
    if (total > viewApprovalBytesMax) break;
    view.pendingApprovals.push(found.approval);
  }
  return view;
}

/** Its size without encoding it: that of its long texts, and enough for the others. */
export function sized(approval: views.Approval | undefined): SizedApproval | undefined {
  if (approval === undefined) return undefined;
  const { argumentsJson, description, reason } = approval;
  const long = [argumentsJson, description, reason].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { approval, bytes: long + otherApprovalBytes };
}

/** What an approval takes beside its long texts, in bytes: ids, names, times. */
const otherApprovalBytes = 1024;
