/** Whom a conversation belongs to, and the context that it is of. */
import type { ConversationState } from './state.ts';

/** The key of the principal that conversations belong to whose creation names none. */
export const anonymousPrincipal = 'anonymous';

/** The context of a conversation: its own id, unless it was created in another one. */
export const contextOf = ({ id, contextId = id }: Pick<ConversationState, 'id' | 'contextId'>): string => contextId;

/** The key of the principal that a conversation belongs to. */
export const principalOf = ({ principal = anonymousPrincipal }: Pick<ConversationState, 'principal'>): string =>
  principal;
