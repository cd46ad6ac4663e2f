import { objectIn } from './answered.ts';
import { assigneeText, type ShownApproval } from './approvals.ts';
import { askGateway } from './gateway.ts';

/** `stopgo assign`: says who is to look at an approval. `to`: an e-mail address, a name or `me`; undefined: nobody in particular. */
export async function assignTo(
  url: string,
  uuid: string,
  { to, by }: { readonly to?: string | undefined; readonly by?: string | undefined },
  print: (line: string) => void,
): Promise<void> {
  const path = `/approvals/${encodeURIComponent(uuid)}/${to === undefined ? 'unassign' : 'assign'}`;
  const body = { ...(to === undefined ? {} : { to }), ...(by === undefined ? {} : { by }) };
  const approval = objectIn<ShownApproval>(url, await askGateway(url, path, { body }), 'approval');
  print(approval.assignee === undefined ? 'assigned to nobody' : assigneeText(approval.assignee));
}
