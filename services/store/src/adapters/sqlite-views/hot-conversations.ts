import { type ConversationState, dataLoss, decodeSnapshot, foldVersion, initialState } from '@stopgo/core';
import { fromBinary, views } from '@stopgo/proto';
import { hotApprovalCharactersMax, hotApprovalsMax, hotBytesMax, hotConversationsMax } from '../../bounds.ts';
import { LruMap } from '../../lru-map.ts';
import type { SetAside } from '../../views.ts';
import type { HotConversation, PendingApproval } from './hot-conversation.ts';
import type { Refold } from './refold.ts';
import type { ConversationRow, ViewTables } from './view-tables.ts';

/** The conversations used last, and their approvals, so that an append need not decode what the one before it encoded. */
export class HotConversations {
  readonly #tables: ViewTables;
  readonly #refold: Refold;
  readonly #hot = new LruMap<string, HotConversation>({ entriesMax: hotConversationsMax, bytesMax: hotBytesMax });
  readonly #approvals = new LruMap<string, views.Approval>({
    entriesMax: hotApprovalsMax,
    bytesMax: hotApprovalCharactersMax,
  });
  /** Whether any conversation is set aside: hardly ever. Undefined until it is needed. */
  #isAnySetAside: boolean | undefined;

  constructor(tables: ViewTables, refold: Refold) {
    this.#tables = tables;
    this.#refold = refold;
  }

  /**
   * Undefined if there is no such conversation. Rows that are damaged are made anew from the events. Throws `data_loss` if
   * those are damaged too, or if the conversation was set aside.
   */
  get(id: string): HotConversation | undefined {
    const hot = this.#hot.get(id);
    if (hot !== undefined) return hot;
    const row = this.#tables.conversation(id);
    if (row === undefined) {
      this.#refuseSetAside(id);
      return undefined;
    }
    const loaded = this.#decoded(row) ?? this.#refold(row);
    this.set(id, loaded);
    return loaded;
  }

  set(id: string, conversation: HotConversation): void {
    this.#hot.set(id, conversation, conversation.snapshot.byteLength);
  }

  /** The approval if an append changed it lately; undefined says nothing. */
  approval(id: string): views.Approval | undefined {
    return this.#approvals.get(id);
  }

  setApproval(approval: views.Approval): void {
    const { id, argumentsJson, description, reason } = approval;
    this.#approvals.set(id, approval, argumentsJson.length + description.length + reason.length);
  }

  clear(): void {
    this.#hot.clear();
    this.#approvals.clear();
    this.#isAnySetAside = undefined;
  }

  /** For what a conversation was set aside; undefined if it was not. */
  damage(id: string): SetAside | undefined {
    this.#isAnySetAside ??= this.#tables.allSetAside(1).length > 0;
    return this.#isAnySetAside ? this.#tables.setAside(id) : undefined;
  }

  /** Is told that a conversation is set aside. */
  setAside(id: string): void {
    this.#isAnySetAside = true;
    this.#hot.delete(id);
    // Its own are among them.
    this.#approvals.clear();
  }

  #refuseSetAside(id: string): void {
    const damage = this.damage(id);
    if (damage === undefined) return;
    const { revision, position, reason } = damage;
    throw dataLoss(
      `conversation ${id} was set aside: its event ${revision}, at position ${position} of the log, cannot be folded (${reason}); run \`stopgo verify\` and restore the data directory from a backup`,
    );
  }

  /** Undefined if the row is damaged. */
  #decoded({ key, id, revision, snapshot, head: headBytes }: ConversationRow): HotConversation | undefined {
    const state = readable(() => decodeSnapshot(snapshot, foldVersion));
    const head = readable(() => fromBinary(views.ConversationHeadSchema, headBytes));
    if (!isStateOf(state, id, revision) || head?.id !== id || head.revision !== revision) return undefined;
    const pending = new Map<string, PendingApproval>();
    for (const approvalId of head.pendingApprovalIds) {
      const row = this.#tables.approval(approvalId);
      if (row === undefined) continue;
      const approval = readable(() => fromBinary(views.ApprovalSchema, row.bytes));
      if (approval === undefined) return undefined;
      pending.set(approvalId, { key: row.key, approval });
    }
    return { key, state, snapshot, head, pending };
  }
}

function readable<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    // Whatever is wrong with the bytes, they are no longer what was written.
    return undefined;
  }
}

/** True if what a snapshot gave has all parts of a state, and is of this row. */
function isStateOf(found: unknown, id: string, revision: number): found is ConversationState {
  if (typeof found !== 'object' || found === null) return false;
  const fields = new Map<string, unknown>(Object.entries(found));
  for (const [name, initial] of Object.entries(initialState))
    if (name !== 'run' && typeof fields.get(name) !== typeof initial) return false;
  return typeof fields.get('run') === 'object' && fields.get('id') === id && fields.get('revision') === revision;
}
