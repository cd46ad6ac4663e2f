import {
  conversationOfPush,
  conversationOfStream,
  dataLoss,
  type EarlierRows,
  encodeSnapshot,
  initialState,
  invalidArgument,
  isPersonStream,
  project,
  type RecordedFact,
  resourceExhausted,
  type StreamName,
  textToTell,
} from '@stopgo/core';
import { facts, fromBinary, toBinary, views } from '@stopgo/proto';
import { conversationKeyMax, messagesPerConversationMax } from '../../bounds.ts';
import type { Folded, Projection, ProjectionBatch, SetAside } from '../../views.ts';
import { writeApproval } from './approval-row.ts';
import { writeConversation } from './conversation-row.ts';
import type { HotConversation, PendingApproval } from './hot-conversation.ts';
import type { HotConversations } from './hot-conversations.ts';
import { messagesAt } from './messages-at.ts';
import { PersonRows } from './person-rows.ts';
import { PushRows } from './push-rows.ts';
import { searchableText } from './search.ts';
import { messageKey, type ViewTables } from './view-tables.ts';

/** What a batch makes of one conversation. */
type Planned = {
  readonly id: string;
  now: Omit<HotConversation, 'snapshot'>;
  readonly messages: views.Message[];
  readonly approvals: Map<string, PendingApproval>;
};

/** Folds appends into the rows of the views, with the core's own fold. */
export class SqliteProjection implements Projection {
  readonly #tables: ViewTables;
  readonly #hot: HotConversations;
  /** Undefined until it is needed: the tables may be made only after this. */
  #lastApprovalKey: number | undefined;

  constructor(tables: ViewTables, hot: HotConversations) {
    this.#tables = tables;
    this.#hot = hot;
  }

  begin(): ProjectionBatch {
    this.#lastApprovalKey ??= this.#tables.lastApprovalKey() ?? 0;
    return new Batch(this.#tables, this.#hot, this.#lastApprovalKey, (key) => {
      this.#lastApprovalKey = key;
    });
  }

  forget(): void {
    this.#tables.forgetConversations();
    this.#hot.clear();
    this.#lastApprovalKey = undefined;
  }

  checkpoint(): number {
    return this.#tables.checkpoint() ?? 0;
  }

  moveTo(checkpoint: number): void {
    this.#tables.setCheckpoint(checkpoint);
  }
}

class Batch implements ProjectionBatch {
  readonly #tables: ViewTables;
  readonly #hot: HotConversations;
  readonly #planned = new Map<string, Planned>();
  readonly #setAside = new Map<string, Omit<SetAside, 'conversationId'>>();
  readonly #written: [string, HotConversation][] = [];
  readonly #push: PushRows;
  readonly #people: PersonRows;
  #approvalKey: number;
  readonly #approvalKeyCommitted: (key: number) => void;

  constructor(tables: ViewTables, hot: HotConversations, approvalKey: number, committed: (key: number) => void) {
    this.#tables = tables;
    this.#hot = hot;
    this.#push = new PushRows(tables);
    this.#people = new PersonRows(tables);
    this.#approvalKey = approvalKey;
    this.#approvalKeyCommitted = committed;
  }

  add(stream: StreamName, events: readonly RecordedFact[], appendKey: number, folded?: Folded): Folded | undefined {
    const told = conversationOfPush(stream);
    if (told !== undefined) {
      this.#push.add(told, events, appendKey);
      return undefined;
    }
    if (isPersonStream(stream)) {
      this.#people.add(stream, events, appendKey);
      return undefined;
    }
    const id = conversationOfStream(stream);
    const first = events[0];
    if (id === undefined || first === undefined) return undefined;
    const planned = this.#planned.get(id);
    const before = planned?.now ?? this.#hot.get(id);
    const state = before?.state ?? initialState;
    for (const [index, { revision }] of events.entries()) {
      const expected = state.revision + 1 + index;
      if (revision !== expected)
        throw dataLoss(
          `the views of ${stream} can go on with event ${expected} only, not with ${revision}; run \`stopgo verify\``,
        );
    }
    const key = before?.key ?? appendKey;
    if (key > conversationKeyMax)
      throw resourceExhausted(
        `the log is ${key} long, and no room for another conversation (${conversationKeyMax} is the most); begin a new data directory`,
      );
    const isFolded = folded !== undefined && folded.before === before;
    const rows = isFolded ? folded.rows : project(state, events, this.#earlierRows(key, planned, before));
    if (rows.state.id !== id)
      throw invalidArgument(`${stream}: its first event must be the ConversationCreated of conversation ${id}`);
    const last = rows.state.messageCount;
    if (last >= messagesPerConversationMax)
      throw invalidArgument(`${stream} has ${last} messages, the most there can be; start a new conversation`);

    const keyOf = this.#approvalKeys(rows.approvals, key, planned, before?.pending);
    const changed = new Map<string, PendingApproval>();
    for (const approval of rows.approvals) changed.set(approval.id, { key: keyOf.get(approval.id) ?? 0, approval });
    const pending = new Map<string, PendingApproval>();
    for (const approvalId of rows.head.pendingApprovalIds) {
      const one = changed.get(approvalId) ?? before?.pending.get(approvalId);
      if (one !== undefined) pending.set(approvalId, one);
    }
    const now = { key, state: rows.state, head: rows.head, pending };
    const target: Planned = planned ?? { id, now, messages: [], approvals: new Map() };
    target.now = now;
    target.messages.push(...rows.messages);
    for (const [approvalId, one] of changed) target.approvals.set(approvalId, one);
    this.#planned.set(id, target);
    this.#push.addNaming(id, events, appendKey);
    return { before, rows };
  }

  setAside(stream: StreamName, damage: Omit<SetAside, 'conversationId'>): void {
    const id = conversationOfStream(stream);
    if (id === undefined) return;
    this.#planned.delete(id);
    this.#setAside.set(id, damage);
  }

  isSetAside(stream: StreamName): boolean {
    const id = conversationOfStream(stream);
    return id !== undefined && (this.#setAside.has(id) || this.#hot.damage(id) !== undefined);
  }

  write(): void {
    for (const { id, now, messages, approvals } of this.#planned.values()) {
      const snapshot = encodeSnapshot(now.state);
      writeConversation(this.#tables.writeConversation, id, now, snapshot);
      for (const message of messages) this.#writeMessage(now.key, message);
      for (const approval of approvals.values()) writeApproval(this.#tables, now, approval);
      this.#written.push([id, { ...now, snapshot }]);
    }
    this.#push.write();
    this.#people.write();
    for (const [id, { position, revision, reason }] of this.#setAside) {
      this.#removeConversation(id);
      this.#tables.insertSetAside(id, position, revision, reason);
    }
  }

  committed(): void {
    for (const [id, conversation] of this.#written) this.#hot.set(id, conversation);
    for (const { approvals } of this.#planned.values())
      for (const { approval } of approvals.values()) this.#hot.setApproval(approval);
    for (const id of this.#setAside.keys()) this.#hot.setAside(id);
    this.#approvalKeyCommitted(this.#approvalKey);
  }

  #removeConversation(id: string): void {
    const key = this.#tables.conversationKey(id);
    if (key === undefined) return;
    this.#tables.deleteConversation(key);
    this.#tables.deleteMessages(messageKey(key, 0), messageKey(key + 1, 0));
    this.#tables.deleteAskingsOf(key);
    this.#tables.deleteApprovals(key);
    this.#tables.deleteBlobNames(key);
  }

  #writeMessage(conversation: number, message: views.Message): void {
    const key = messageKey(conversation, message.sequence);
    const isTold = textToTell(message) === '' ? 0 : 1;
    this.#tables.insertMessage(key, message.revision, isTold, toBinary(views.MessageSchema, message));
    const words = searchableText(message);
    if (words !== '') this.#tables.insertWords(key, words);
    for (const blob of message.toolCall?.blobs ?? [])
      this.#tables.insertBlobName(blob.digest, conversation, toBinary(facts.BlobRefSchema, blob));
  }

  #earlierRows(
    conversation: number,
    planned: Planned | undefined,
    before: Omit<HotConversation, 'snapshot'> | undefined,
  ): EarlierRows {
    return {
      messagesAt: (revision) => {
        const fresh = planned?.messages.filter((message) => message.revision === revision) ?? [];
        if (fresh.length > 0) return fresh;
        return messagesAt(this.#tables, conversation, revision, before?.state.messageCount ?? 0);
      },
      approval: (id) => {
        const known = planned?.approvals.get(id) ?? before?.pending.get(id);
        if (known !== undefined) return known.approval;
        const row = this.#tables.approval(id);
        return row === undefined || row.conversation !== conversation
          ? undefined
          : fromBinary(views.ApprovalSchema, row.bytes);
      },
    };
  }

  /** The keys of approvals: of a new one the next, in the order of the log. */
  #approvalKeys(
    approvals: readonly views.Approval[],
    conversation: number,
    planned: Planned | undefined,
    pending: HotConversation['pending'] | undefined,
  ): ReadonlyMap<string, number> {
    const keys = new Map<string, number>();
    let next = this.#approvalKey;
    for (const { id } of approvals) {
      const known = planned?.approvals.get(id) ?? pending?.get(id);
      const row = known === undefined ? this.#tables.approval(id) : undefined;
      const elsewhere = known === undefined && this.#isPlannedElsewhere(id, planned);
      if (elsewhere || (row !== undefined && row.conversation !== conversation))
        throw invalidArgument(`the approval id ${id} is taken by another conversation; choose another`);
      keys.set(id, known?.key ?? row?.key ?? ++next);
    }
    this.#approvalKey = next;
    return keys;
  }

  #isPlannedElsewhere(id: string, here: Planned | undefined): boolean {
    for (const planned of this.#planned.values()) if (planned !== here && planned.approvals.has(id)) return true;
    return false;
  }
}
