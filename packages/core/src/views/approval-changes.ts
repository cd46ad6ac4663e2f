/** What events change of an approval that waits. */
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { create, views } from '@stopgo/proto';
import type { FactOf, RecordedFact } from '../events/facts.ts';

/** Who is to look at it from now on; without anybody, where nobody in particular is. */
export function assigned(
  { assignee }: FactOf<'approvalAssigned'>,
  { actor, time }: Pick<RecordedFact, 'actor' | 'time'>,
): Pick<views.Approval, 'assignment'> {
  if (assignee === undefined) return { assignment: undefined };
  const bySignedIn = actor.principal !== undefined && actor.claimed !== true;
  const of = { assignee, by: actor.id, bySignedIn, at: timestampFromMs(time) };
  return { assignment: create(views.ApprovalAssignmentSchema, of) };
}

/** Those who are told, with those who are told from a revision on as well. */
export function notified(
  before: readonly views.NotifiedWebhook[],
  names: readonly string[],
  fromRevision: number,
): views.NotifiedWebhook[] {
  const added = names.filter((name) => before.every((one) => one.name !== name));
  return [...before, ...added.map((name) => create(views.NotifiedWebhookSchema, { name, fromRevision }))];
}
