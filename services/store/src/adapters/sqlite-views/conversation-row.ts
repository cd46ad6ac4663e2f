import { asksSince, contextOf, hasWork, nextDue, parkedTasks, principalOf, standingOf } from '@stopgo/core';
import { toBinary, views } from '@stopgo/proto';
import type { HotConversation } from './hot-conversation.ts';
import type { ViewTables } from './view-tables.ts';

/** Writes the row of a conversation with the statement that is given, inside the caller's transaction. */
export function writeConversation(
  write: ViewTables['writeConversation'],
  id: string,
  { key, state, head }: Pick<HotConversation, 'key' | 'state' | 'head'>,
  snapshot: Uint8Array,
): void {
  const { run } = state;
  const open = run !== null && run.status === 'open' && (run.owner !== null || hasWork(run)) ? run : undefined;
  const due = nextDue(run);
  write(
    key,
    id,
    state.revision,
    head.status,
    open?.id ?? null,
    open?.owner?.instance ?? null,
    open?.owner?.epoch ?? null,
    contextOf(state),
    principalOf(state),
    standingOf(head),
    Math.floor(state.updatedAt),
    parkedTasks(state)[0]?.runId ?? null,
    due === undefined ? null : (run?.id ?? null),
    due ?? null,
    head.pendingInputs.length,
    asksSince(head) ?? null,
    toBinary(views.ConversationHeadSchema, head),
    snapshot,
  );
}
