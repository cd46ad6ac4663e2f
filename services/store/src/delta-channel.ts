import type { store } from '@stopgo/proto';

/**
 * Hands pieces of answers to whoever watches at that moment, at whichever replica. Nothing is kept; a slow watcher loses
 * pieces.
 */
export type DeltaChannel = {
  /** Gives the number of those who watch the conversation, as far as this replica knows. */
  publish(delta: store.Delta | undefined): number;
  /** How many watch a conversation, as far as this replica knows. */
  watchers(conversationId: string): number;
  /**
   * The deltas of a conversation from the first read on, until the signal aborts. Throws `unavailable` when the store
   * closes.
   */
  watch(conversationId: string, signal: AbortSignal): AsyncIterable<store.Delta>;
};
