import { type ConversationState, permissionDenied, principalKey, provideToken } from '@stopgo/core';
import type { CallContext } from '@stopgo/rpc';

type Caller = Pick<CallContext, 'principal' | 'bearerToken'>;
type Owned = Pick<ConversationState, 'principal'>;

/**
 * The token of whoever calls, where a run of the conversation may use it: if the conversation is theirs, or nobody signs in. Whatever
 * somebody decides or does in a conversation of others, no run of those acts with their token.
 */
export function handedOn({ principal, bearerToken }: Caller, conversation: Owned): CallContext['bearerToken'] {
  const isTheirs = principal.kind === 'anonymous' || principalKey(principal) === conversation.principal;
  return isTheirs ? bearerToken : undefined;
}

/** @throws DomainError `permission_denied` if the run waits for a token, and whoever calls brings one that it is not given. */
export function refuseTokenOfOthers(caller: Caller, state: ConversationState): void {
  if (caller.bearerToken === undefined || handedOn(caller, state) !== undefined) return;
  if (provideToken(state).length === 0) return;
  throw permissionDenied(
    `the run waits for a token of whoever conversation ${state.id} belongs to; yours is not used for it, and nothing was stored`,
  );
}
