import { fromBinary } from '@bufbuild/protobuf';
import { type ConversationState, dataLoss, decodeSnapshot, foldVersion } from '@stopgo/core';
import { views } from '@stopgo/proto';
import { hotBytesMax, hotConversationsMax } from '../../bounds.ts';
import { LruMap } from '../../lru-map.ts';
import type { ViewTables } from './view-tables.ts';

/** A conversation as the last append left it. */
export type HotConversation = {
  /** Position of its first event. */
  readonly key: number;
  readonly state: ConversationState;
  readonly snapshot: Uint8Array;
  readonly head: views.ConversationHead;
  /** By id, oldest first. */
  readonly pending: ReadonlyMap<string, PendingApproval>;
};

export type PendingApproval = { readonly key: number; readonly approval: views.Approval };

/** The conversations used last, so that an append need not decode what the one before it encoded. */
export class HotConversations {
  readonly #tables: ViewTables;
  readonly #hot = new LruMap<string, HotConversation>({ entriesMax: hotConversationsMax, bytesMax: hotBytesMax });

  constructor(tables: ViewTables) {
    this.#tables = tables;
  }

  /** Undefined if there is no such conversation. Throws `data_loss` if its rows cannot be read. */
  get(id: string): HotConversation | undefined {
    const hot = this.#hot.get(id);
    if (hot !== undefined) return hot;
    const row = this.#tables.conversation(id);
    if (row === undefined) return undefined;
    const state = decodeSnapshot(row.snapshot, foldVersion);
    if (state === undefined)
      throw dataLoss(`the views of conversation ${id} are of another version; restart the store`);
    const head = fromBinary(views.ConversationHeadSchema, row.head);
    const loaded = { key: row.key, state, snapshot: row.snapshot, head, pending: this.#pending(head) };
    this.set(id, loaded);
    return loaded;
  }

  set(id: string, conversation: HotConversation): void {
    this.#hot.set(id, conversation, conversation.snapshot.byteLength);
  }

  clear(): void {
    this.#hot.clear();
  }

  #pending(head: views.ConversationHead): Map<string, PendingApproval> {
    const pending = new Map<string, PendingApproval>();
    for (const id of head.pendingApprovalIds) {
      const row = this.#tables.approval(id);
      if (row !== undefined) pending.set(id, { key: row.key, approval: fromBinary(views.ApprovalSchema, row.bytes) });
    }
    return pending;
  }
}
