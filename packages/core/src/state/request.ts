/** What any request brings along beside what it wants. */
import type { ConversationState } from './state.ts';

/** The caller's own key of a command, and the digest of the request it stood on. */
export type IdempotencyKey = { readonly key: string; readonly requestDigest: string };

/** The session that a request brings to a conversation of another one; empty if it brings none. */
export function anotherSession(
  state: Pick<ConversationState, 'sessionId'>,
  { sessionId = '' }: { readonly sessionId?: string | undefined },
): string {
  return sessionId === state.sessionId ? '' : sessionId;
}
