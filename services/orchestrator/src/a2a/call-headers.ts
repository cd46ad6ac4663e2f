import type { RemoteAgent } from '@stopgo/core';
import type { Secret } from '@stopgo/rpc';
import { mayCarryToken } from '@stopgo/security';

/** What of a session's id can stand in a header. */
const sendable = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/;

/** What goes along with whatever is asked of an agent. A token goes as it came, and only where nobody on the way can read it. */
export function callHeaders(
  { agent, bearer, sessionId }: { readonly agent: RemoteAgent; readonly bearer?: Secret; readonly sessionId: string },
  url: string,
): Readonly<Record<string, string>> {
  const isSafe = mayCarryToken(url);
  return {
    ...(sendable.test(sessionId) ? { 'X-Session-ID': sessionId } : {}),
    ...(bearer !== undefined && agent.forwardsBearer && isSafe ? { Authorization: `Bearer ${bearer.reveal()}` } : {}),
  };
}
