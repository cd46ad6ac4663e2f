import type { ConversationState } from '@stopgo/core';
import type { views } from '@stopgo/proto';

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
