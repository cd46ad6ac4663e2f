import { create, fromBinary } from '@bufbuild/protobuf';
import { foldVersion } from '@stopgo/core';
import { views } from '@stopgo/proto';
import type { ApprovalFilter, ConversationFilter, Page, Rows, Views } from '../../views.ts';
import { lastThatFits } from '../sqlite/page-size.ts';
import type { HotConversations } from './hot-conversations.ts';
import { messagesAt } from './messages-at.ts';
import { search } from './search.ts';
import { messageKey, type ViewTables } from './view-tables.ts';

type Listed = { readonly key: number; readonly id: string; readonly head: Uint8Array };

/** The views in SQLite tables. */
export class SqliteViews implements Views {
  readonly #tables: ViewTables;
  readonly #hot: HotConversations;

  constructor(tables: ViewTables, hot: HotConversations) {
    this.#tables = tables;
    this.#hot = hot;
  }

  /** The log writes them in the same transaction: they are never behind. */
  async caughtUp() {}

  position() {
    return this.#tables.checkpoint() ?? 0;
  }

  snapshot(conversationId: string) {
    const hot = this.#hot.get(conversationId);
    if (hot === undefined) return undefined;
    return { conversationId, revision: hot.state.revision, bytes: hot.snapshot, foldVersion };
  }

  view(conversationId: string) {
    const hot = this.#hot.get(conversationId);
    return hot === undefined ? undefined : viewOf(hot.head, (id) => hot.pending.get(id)?.approval);
  }

  messages(conversationId: string, afterSequence: number, limit: number, bytesMax: number) {
    const hot = this.#hot.get(conversationId);
    if (hot === undefined || limit === 0) return { messages: [], more: (hot?.state.messageCount ?? 0) > afterSequence };
    const after = messageKey(hot.key, afterSequence);
    const last = lastThatFits(this.#tables.messageSizes(after, messageKey(hot.key + 1, 0), limit), bytesMax);
    const rows = last === undefined ? [] : this.#tables.messages(after, last);
    const messages = rows.map((row) => fromBinary(views.MessageSchema, row.bytes));
    const shown = messages.at(-1)?.sequence ?? afterSequence;
    return { messages, more: hot.state.messageCount > shown };
  }

  conversations({ status, query }: ConversationFilter, { limit, after }: Page): Rows<views.ConversationView> {
    if (query !== undefined) {
      const accept = (key: number) => status === undefined || this.#tables.statusAt(key) === status;
      const found = search(this.#tables, query, after, limit, accept);
      const listed = found.keys.map((key) => this.#tables.conversationAt(key)).filter((row) => row !== undefined);
      return { rows: listed.map((row) => this.#listed(row)), next: found.next };
    }
    const rows = this.#tables.newest(after, status, limit + 1);
    return pageOf(rows, limit, (row) => this.#listed(row));
  }

  counts() {
    const of = new Map(this.#tables.counts().map(({ status, number }) => [status, number]));
    const active = of.get(views.ConversationStatus.ACTIVE) ?? 0;
    const waitingApproval = of.get(views.ConversationStatus.WAITING_APPROVAL) ?? 0;
    const completed = of.get(views.ConversationStatus.COMPLETED) ?? 0;
    return { total: active + waitingApproval + completed, active, waitingApproval, completed };
  }

  approval(id: string) {
    const row = this.#tables.approval(id);
    return row === undefined ? undefined : fromBinary(views.ApprovalSchema, row.bytes);
  }

  approvals({ status, conversationId }: ApprovalFilter, { limit, after = 0 }: Page): Rows<views.Approval> {
    const rows = () => {
      if (conversationId === undefined)
        return status === undefined
          ? this.#tables.approvals(after, limit + 1)
          : this.#tables.approvalsOfStatus(status, after, limit + 1);
      const key = this.#hot.get(conversationId)?.key;
      if (key === undefined) return [];
      return status === undefined
        ? this.#tables.approvalsOfConversation(key, after, limit + 1)
        : this.#tables.approvalsOfBoth(key, status, after, limit + 1);
    };
    return pageOf(rows(), limit, (row) => fromBinary(views.ApprovalSchema, row.bytes));
  }

  openRuns({ limit, after = 0 }: Page) {
    const rows = this.#tables.openRuns(after, limit + 1);
    const page = pageOf(rows, limit, (row) => row.openRun);
    return { rows: page.rows.filter((run) => run !== undefined), next: page.next };
  }

  stored(conversationId: string) {
    const row = this.#tables.conversation(conversationId);
    return row === undefined ? undefined : { ...row, foldVersion };
  }

  storedMessages(conversationId: string, afterSequence: number, limit: number) {
    const key = this.#tables.conversation(conversationId)?.key;
    if (key === undefined) return [];
    const start = messageKey(key, 0);
    const sizes = this.#tables.messageSizes(start + afterSequence, messageKey(key + 1, 0), limit);
    const last = sizes.at(-1)?.key;
    const rows = last === undefined ? [] : this.#tables.messages(start + afterSequence, last);
    return rows.map((row) => ({ key: row.key - start, bytes: row.bytes }));
  }

  storedMessagesAt(conversationId: string, revision: number) {
    const hot = this.#hot.get(conversationId);
    return hot === undefined ? [] : messagesAt(this.#tables, hot.key, revision, hot.state.messageCount);
  }

  storedApprovals(conversationId: string) {
    const key = this.#tables.conversation(conversationId)?.key;
    return key === undefined ? [] : this.#tables.storedApprovals(key);
  }

  #listed(row: Listed): views.ConversationView {
    return viewOf(fromBinary(views.ConversationHeadSchema, row.head), (id) => this.approval(id));
  }
}

function viewOf(
  head: views.ConversationHead,
  approval: (id: string) => views.Approval | undefined,
): views.ConversationView {
  const view = create(views.ConversationViewSchema);
  view.head = head;
  view.pendingApprovals = head.pendingApprovalIds.map(approval).filter((one) => one !== undefined);
  return view;
}

/** A page of rows that were read with one more than fits, to know whether there are more. */
function pageOf<R extends { readonly key: number }, T>(
  rows: readonly R[],
  limit: number,
  read: (row: R) => T,
): Rows<T> {
  const shown = rows.slice(0, limit);
  return { rows: shown.map(read), next: rows.length > limit ? shown.at(-1)?.key : undefined };
}
