import {
  type ConversationState,
  chainHash,
  chainStart,
  conversationStream,
  DomainError,
  dataLoss,
  decodeRecorded,
  encodeSnapshot,
  initialState,
  project,
  type RecordedFact,
  type StreamName,
} from '@stopgo/core';
import type { views } from '@stopgo/proto';
import type { Logger } from '@stopgo/runtime';
import { pageEventsMax } from '../../bounds.ts';
import type { StreamEvent } from '../../event-log.ts';
import { equal } from '../../problems.ts';
import { type SqlDatabase, sqlCode } from '../sqlite/database.ts';
import { writeApproval } from './approval-row.ts';
import { writeConversation } from './conversation-row.ts';
import type { HotConversation, PendingApproval } from './hot-conversation.ts';
import { messagesAt } from './messages-at.ts';
import type { ConversationRow, ViewTables } from './view-tables.ts';

/** Makes a conversation anew whose row is damaged. */
export type Refold = (row: Pick<ConversationRow, 'key' | 'id' | 'revision'>) => HotConversation;

export type RefoldParts = {
  readonly database: SqlDatabase;
  readonly tables: ViewTables;
  /** A page of a stream from a revision on; empty at its end. */
  readonly read: (stream: StreamName, fromRevision: number, limit: number) => readonly StreamEvent[];
  readonly log: Logger;
};

/**
 * Folds a conversation from its events, which are the truth, up to the revision that its row is to show, and writes the row
 * and its approvals again. Throws `data_loss` if the events are damaged too.
 */
export function refolding(parts: RefoldParts): Refold {
  return ({ key, id, revision }) => {
    const folded = foldAnew(parts, key, id, revision);
    parts.log.warn('the row of a conversation was damaged; it was made anew from its events', {
      conversation: id,
      revision,
    });
    const { state, head, approvals } = folded;
    const snapshot = encodeSnapshot(state);
    const known = new Map<string, PendingApproval>();
    for (const [approvalId, approval] of approvals) {
      const row = parts.tables.approval(approvalId);
      if (row?.conversation === key) known.set(approvalId, { key: row.key, approval });
    }
    writeAnew(parts, id, { key, state, head }, snapshot, known);
    const pending = new Map([...known].filter(([approvalId]) => head.pendingApprovalIds.includes(approvalId)));
    return { key, state, snapshot, head, pending };
  };
}

type Folded = {
  readonly state: ConversationState;
  readonly head: views.ConversationHead;
  readonly approvals: ReadonlyMap<string, views.Approval>;
};

function foldAnew(parts: RefoldParts, key: number, id: string, revision: number): Folded {
  const stream = conversationStream(id);
  const approvals = new Map<string, views.Approval>();
  let state = initialState;
  let head: views.ConversationHead | undefined;
  let hash = chainStart;
  try {
    while (state.revision < revision) {
      const page = parts.read(stream, state.revision + 1, Math.min(pageEventsMax, revision - state.revision));
      const facts = page.map((one, index): RecordedFact => {
        hash = checkedHash(one, state.revision + 1 + index, hash);
        return decodeRecorded(one.event);
      });
      if (facts.length === 0) throw new Error(`event ${state.revision + 1} is missing`);
      const { messageCount } = state;
      const rows = project(state, facts, {
        messagesAt: (at) => messagesAt(parts.tables, key, at, messageCount),
        approval: (approvalId) => approvals.get(approvalId),
      });
      state = rows.state;
      head = rows.head;
      for (const approval of rows.approvals) approvals.set(approval.id, approval);
    }
    if (head === undefined || state.id !== id) throw new Error('its events are of another conversation');
  } catch (cause) {
    if (sqlCode(cause) !== undefined || (cause instanceof DomainError && cause.kind === 'unavailable')) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw dataLoss(
      `the row of conversation ${id} is damaged, and it cannot be made anew from its events (${reason}); run \`stopgo verify\` and restore the data directory from a backup`,
      {},
      { cause },
    );
  }
  return { state, head, approvals };
}

function checkedHash({ revision, event }: StreamEvent, expected: number, before: Uint8Array): Uint8Array {
  if (revision !== expected) throw new Error(`event ${expected} is missing`);
  const hash = chainHash(before, event.envelope);
  if (!equal(hash, event.hash)) throw new Error(`event ${revision} is damaged: its hash does not follow`);
  return hash;
}

function writeAnew(
  { database, tables, log }: RefoldParts,
  id: string,
  conversation: Pick<HotConversation, 'key' | 'state' | 'head'>,
  snapshot: Uint8Array,
  approvals: ReadonlyMap<string, PendingApproval>,
): void {
  try {
    // Whoever needs the row may be in the middle of a transaction of its own.
    database.exec('SAVEPOINT refolded');
    writeConversation(tables.rewriteConversation, id, conversation, snapshot);
    for (const approval of approvals.values()) writeApproval(tables, conversation, approval);
    database.exec('RELEASE refolded');
  } catch (error) {
    // What was folded is right all the same; the next start folds it again.
    if (database.inTransaction()) database.exec('ROLLBACK TO refolded; RELEASE refolded');
    log.warn('the damaged row of a conversation could not be written again', { conversation: id, error });
  }
}
