import { apiKeyStream, type EarlierTexts, foldVersion, type StreamName, userStream } from '@stopgo/core';
import { create, facts, fromBinary, views } from '@stopgo/proto';
import {
  approvalsLookedAtMax,
  listBytesMax,
  listRowsPerRead,
  messagesPerConversationMax,
  viewApprovalBytesMax,
} from '../../bounds.ts';
import type {
  ApprovalCounts,
  ApprovalFilter,
  ApprovalsCounted,
  AskedInput,
  AskingKey,
  ChangeFilter,
  ChangeKey,
  ContextName,
  ConversationFilter,
  DuePush,
  OpenRunRow,
  Page,
  Rows,
  Views,
} from '../../views.ts';
import { lastThatFits } from '../sqlite/page-size.ts';
import { askedInputs } from './asked-inputs.ts';
import type { HotConversations } from './hot-conversations.ts';
import { messagesAt } from './messages-at.ts';
import { saidInContext } from './said-in-context.ts';
import { search } from './search.ts';
import { verifySearch } from './verify-search.ts';
import { messageKey, type ViewTables } from './view-tables.ts';

type Listed = { readonly key: number; readonly id: string; readonly head: Uint8Array };

/** The views in SQLite tables. */
export class SqliteViews implements Views {
  readonly #tables: ViewTables;
  readonly #hot: HotConversations;

  readonly caughtUp: Views['caughtUp'];
  readonly isFed: Views['isFed'];
  readonly position: Views['position'];

  /** Without a progress the log writes the views in its own transactions: they are never behind, nor ahead of their file. */
  constructor(tables: ViewTables, hot: HotConversations, progress?: Pick<Views, 'caughtUp' | 'isFed' | 'position'>) {
    this.#tables = tables;
    this.#hot = hot;
    this.caughtUp = progress?.caughtUp ?? (async () => undefined);
    this.isFed = progress?.isFed ?? (() => true);
    this.position = progress?.position ?? (() => tables.checkpoint() ?? 0);
  }

  snapshot(conversationId: string) {
    const hot = this.#hot.get(conversationId);
    if (hot === undefined) return undefined;
    return { conversationId, revision: hot.state.revision, bytes: hot.snapshot, foldVersion };
  }

  state(conversationId: string) {
    return this.#hot.get(conversationId)?.state;
  }

  view(conversationId: string) {
    const hot = this.#hot.get(conversationId);
    return hot === undefined ? undefined : viewOf(hot.head, (id) => sized(hot.pending.get(id)?.approval));
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

  conversations({ status, query, principal }: ConversationFilter, page: Page): Rows<views.ConversationView> {
    if (query === undefined)
      return collect(
        page,
        (after, limit) => this.#tables.newest(after, { status, principal }, limit),
        (row) => this.#listed(row),
        byKey,
      );
    const accept = (key: number) => {
      const at = this.#tables.columnsAt(key);
      return (status ?? at?.status) === at?.status && (principal ?? at?.principal) === at?.principal;
    };
    const found = search(this.#tables, query, page.after, page.limit, accept);
    const rest = collect(
      { limit: page.limit, after: undefined },
      (after) => found.keys.filter((key) => after === undefined || key < after).map((key) => ({ key })),
      (row) => this.#listed(this.#tables.conversationAt(row.key)),
      byKey,
    );
    return { rows: rest.rows, next: rest.next ?? found.next };
  }

  conversationsByChange(filter: ChangeFilter, page: Page<ChangeKey>): Rows<views.ConversationView, ChangeKey> {
    return collect(
      page,
      (after, limit) => this.#tables.byChange(filter, after, limit),
      (row) => this.#listed(row),
      ({ changedAt, key }) => ({ changedAt, key }),
    );
  }

  countByChange(filter: ChangeFilter): number {
    return this.#tables.countByChange(filter) ?? 0;
  }

  said(context: ContextName, most: { readonly textsMax: number; readonly bytesMax: number }): EarlierTexts {
    return saidInContext(this.#tables, context, most);
  }

  counts(principal?: string) {
    const counted = principal === undefined ? this.#tables.counts() : this.#tables.countsOf(principal);
    const of = new Map(counted.map(({ status, number }) => [status, number]));
    const active = of.get(views.ConversationStatus.ACTIVE) ?? 0;
    const waitingApproval = of.get(views.ConversationStatus.WAITING_APPROVAL) ?? 0;
    const completed = of.get(views.ConversationStatus.COMPLETED) ?? 0;
    return { total: active + waitingApproval + completed, active, waitingApproval, completed };
  }

  approval(id: string) {
    const hot = this.#hot.approval(id);
    if (hot !== undefined) return hot;
    const row = this.#tables.approval(id);
    return row === undefined ? undefined : fromBinary(views.ApprovalSchema, row.bytes);
  }

  placeOfApproval(id: string) {
    return this.#tables.placeOfApproval(id);
  }

  approvals({ conversationId, narrow = {}, ...lead }: ApprovalFilter, page: Page): Rows<views.Approval> {
    const conversation = conversationId === undefined ? undefined : this.#hot.get(conversationId)?.key;
    if (conversationId !== undefined && conversation === undefined) return { rows: [], next: undefined };
    const read = this.#tables.approvals({ ...lead, conversation }, narrow);
    return collect(
      page,
      (after = 0, limit) => read(after, limit),
      ({ bytes }) => ({ row: bytes && fromBinary(views.ApprovalSchema, bytes), bytes: bytes?.byteLength ?? 0 }),
      byKey,
      approvalsLookedAtMax,
    );
  }

  inputs(principal: string | undefined, page: Page<AskingKey>): Rows<AskedInput, AskingKey> {
    return askedInputs((after, limit) => this.#tables.asking(principal, after, limit), page);
  }

  countInputs(principal: string | undefined): number {
    return this.#tables.countAskedInputs(principal);
  }

  countApprovals({ principal, askedOf, at, assignee }: ApprovalsCounted): ApprovalCounts {
    return {
      waiting: this.#tables.countWaiting(principal),
      asked: askedOf === undefined ? 0 : this.#tables.countAsked(askedOf),
      overdue: at === undefined ? 0 : this.#tables.countOverdue(principal, at),
      assigned: assignee === undefined ? 0 : this.#tables.countAssigned(assignee, askedOf),
    };
  }

  openRuns(page: Page, dueBy?: number): Rows<OpenRunRow> {
    const tables = this.#tables;
    return collect(
      page,
      (after = 0, limit) =>
        dueBy === undefined ? tables.openRuns(after, limit) : tables.openOrDueRuns(dueBy, after, limit),
      ({ openRun, dueRun }) => ({ row: openRun ?? dueRun, bytes: 0 }),
      byKey,
    );
  }

  push(conversationId: string) {
    const row = this.#tables.push(conversationId);
    if (row === undefined) return undefined;
    const { namedFrom, namedThrough } = row;
    return create(views.PushSchema, { ...fromBinary(views.PushSchema, row.bytes), namedFrom, namedThrough });
  }

  duePushes(page: Page): Rows<DuePush> {
    return collect(
      page,
      (after = 0, limit) => this.#tables.duePushes(after, limit),
      ({ conversationId, ownerInstance }) => ({ row: { conversationId, ownerInstance }, bytes: 0 }),
      byKey,
    );
  }

  user(id: string) {
    const row = this.#tables.person(userStream(id));
    return row === undefined ? undefined : fromBinary(views.UserSchema, row.bytes);
  }

  users(page: Page): Rows<views.User> {
    return this.#people('user', '', page, (bytes) => fromBinary(views.UserSchema, bytes));
  }

  countUsers() {
    return this.#tables.countPeople('user') ?? 0;
  }

  apiKey(id: string) {
    const row = this.#tables.person(apiKeyStream(id));
    return row === undefined ? undefined : fromBinary(views.ApiKeySchema, row.bytes);
  }

  apiKeys(userId: string, page: Page): Rows<views.ApiKey> {
    return this.#people('api_key', userId, page, (bytes) => fromBinary(views.ApiKeySchema, bytes));
  }

  #people<T>(kind: string, ofUser: string, page: Page, read: (bytes: Uint8Array) => T): Rows<T> {
    return collect(
      page,
      (after = 0, limit) => this.#tables.people(kind, ofUser, after, limit),
      ({ bytes }) => ({ row: read(bytes), bytes: bytes.byteLength }),
      byKey,
    );
  }

  watchedRuns(page: Page): Rows<OpenRunRow> {
    return collect(
      page,
      (after = 0, limit) => this.#tables.watchedRuns(after, limit),
      ({ watchedRun }) => ({ row: watchedRun, bytes: 0 }),
      byKey,
    );
  }

  stored(conversationId: string) {
    const row = this.#tables.conversation(conversationId);
    return row === undefined ? undefined : { ...row, foldVersion };
  }

  storedMessages(conversationId: string, afterSequence: number, limit: number) {
    const key = this.#tables.conversationKey(conversationId);
    if (key === undefined) return [];
    const start = messageKey(key, 0);
    const sizes = this.#tables.messageSizes(start + afterSequence, messageKey(key + 1, 0), limit);
    const last = sizes.at(-1)?.key;
    const rows = last === undefined ? [] : this.#tables.messages(start + afterSequence, last);
    return rows.map((row) => ({ key: row.key - start, bytes: row.bytes }));
  }

  storedMessagesAt(conversationId: string, revision: number) {
    // By the key alone: the row may be damaged, and is to be compared as it is.
    const key = this.#tables.conversationKey(conversationId);
    return key === undefined ? [] : messagesAt(this.#tables, key, revision, messagesPerConversationMax);
  }

  storedApprovals(conversationId: string) {
    const key = this.#tables.conversationKey(conversationId);
    const rows = key === undefined ? [] : this.#tables.storedApprovals(key);
    return rows.map((row) => ({ ...row, askings: this.#tables.storedAskings(row.key) }));
  }

  blobNamed(conversationId: string, digest: string) {
    const key = this.#hot.get(conversationId)?.key;
    const bytes = key === undefined ? undefined : this.#tables.blobName(digest, key);
    return bytes === undefined ? undefined : fromBinary(facts.BlobRefSchema, bytes);
  }

  isBlobNamed(digest: string) {
    if (this.#tables.isBlobNamed(digest) !== undefined) return true;
    return this.#tables.allSetAside(1).length > 0 ? undefined : false;
  }

  storedBlobNames(conversationId: string, after: string, limit: number) {
    const key = this.#tables.conversationKey(conversationId);
    return key === undefined ? [] : this.#tables.blobNames(key, after, limit);
  }

  storedIds(after: string, limit: number) {
    return this.#tables.idsAfter(after, limit);
  }

  storedPushIds(after: string, limit: number) {
    return this.#tables.pushIdsAfter(after, limit);
  }

  storedPush(conversationId: string) {
    const row = this.#tables.push(conversationId);
    const columns = this.#tables.pushColumns(conversationId);
    return row === undefined || columns === undefined ? undefined : { bytes: row.bytes, ...columns };
  }

  storedPerson(stream: StreamName) {
    return this.#tables.storedPerson(stream);
  }

  storedPersonStreams(after: string, limit: number) {
    return this.#tables.personStreamsAfter(after, limit);
  }

  verifySearch(signal: AbortSignal) {
    return verifySearch(this.#tables, signal);
  }

  #listed(listed: Listed | undefined) {
    if (listed === undefined) return { row: undefined, bytes: 0 };
    const head = fromBinary(views.ConversationHeadSchema, listed.head);
    let bytes = listed.head.byteLength;
    const row = viewOf(head, (id) => {
      const stored = this.#tables.approval(id);
      bytes += stored?.bytes.byteLength ?? 0;
      if (stored === undefined) return undefined;
      return { approval: fromBinary(views.ApprovalSchema, stored.bytes), bytes: stored.bytes.byteLength };
    });
    return { row, bytes };
  }
}

const byKey = ({ key }: { readonly key: number }): number => key;

type SizedApproval = { readonly approval: views.Approval; readonly bytes: number };

/** With as many of the pending approvals as fit, the oldest first. */
function viewOf(
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
function sized(approval: views.Approval | undefined): SizedApproval | undefined {
  if (approval === undefined) return undefined;
  const { argumentsJson, description, reason } = approval;
  const long = [argumentsJson, description, reason].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { approval, bytes: long + otherApprovalBytes };
}

/** What an approval takes beside its long texts, in bytes: ids, names, times. */
const otherApprovalBytes = 1024;

/**
 * A page of a list: at most its limit, and about `listBytesMax`. The rows are read a few at a time, in the order of the
 * list. With a bound on how many are looked at, it may be short, and says where to go on.
 */
function collect<R, T, K>(
  page: Page<K>,
  read: (after: K | undefined, limit: number) => readonly R[],
  show: (row: R) => { readonly row: T | undefined; readonly bytes: number },
  keyOf: (row: R) => K,
  lookedAtMax = Number.POSITIVE_INFINITY,
): Rows<T, K> {
  const rows: T[] = [];
  let total = 0;
  let lookedAt = 0;
  let { after } = page;
  for (;;) {
    const some = read(after, listRowsPerRead);
    for (const one of some) {
      if (rows.length === page.limit) return { rows, next: after };
      const { row, bytes } = show(one);
      if (total > 0 && total + bytes > listBytesMax) return { rows, next: after };
      total += bytes;
      after = keyOf(one);
      if (row !== undefined) rows.push(row);
    }
    if (some.length < listRowsPerRead) return { rows, next: undefined };
    lookedAt += some.length;
    if (lookedAt >= lookedAtMax) return { rows, next: after };
  }
}
