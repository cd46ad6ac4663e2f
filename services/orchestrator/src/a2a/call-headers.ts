import type { RemoteAgent } from '@stopgo/core';
import type { Secret } from '@stopgo/rpc';

/** What of a session's id can stand in a header. */
const sendable = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/;

/** What a request is made with: its session, and the token of whoever it is made for. */
type Caller = { readonly agent: RemoteAgent; readonly bearer?: Secret; readonly sessionId: string };

/**
 * What goes along with whatever is asked of an agent. The session goes with every request, so that all agents of one interaction log
 * the same id (decision 0048). A token goes as it came, and only where {@link takesToken} says.
 */
export function callHeaders({ agent, bearer, sessionId }: Caller, url: string): Readonly<Record<string, string>> {
  return {
    ...(sendable.test(sessionId) ? { 'X-Session-ID': sessionId } : {}),
    ...(bearer !== undefined && takesToken(agent, url) ? { Authorization: `Bearer ${bearer.reveal()}` } : {}),
  };
}

/**
 * Whether an agent is shown a token at this address: at the origin that is configured, and at those that the configuration lists.
 * What else its card names may belong to somebody else: on one host each port may. Which of them may be shown one at all (https,
 * loopback, hosts that are allowed by name) was decided when the agent was defined.
 */
export function takesToken({ url: configured, forwardsBearer, tokenOrigins = [] }: RemoteAgent, url: string): boolean {
  const { origin } = new URL(url);
  return forwardsBearer && (origin === new URL(configured).origin || tokenOrigins.includes(origin));
}
