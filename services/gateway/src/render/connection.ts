import { visibleLine } from '@stopgo/core';
import type { mcp } from '@stopgo/proto';
import { rfc3339 } from './time.ts';

/** How an account is, as answers say it; nothing of its tokens. */
export function renderConnection({ server, connected, issuer, scopes, connectedAt, problem }: mcp.ConnectionState) {
  if (!connected) return { server, connected, ...(problem === '' ? {} : { problem: visibleLine(problem) }) };
  const at = rfc3339(connectedAt);
  return {
    ...{ server, connected, issuer: visibleLine(issuer), scopes: scopes.map(visibleLine) },
    ...(at === undefined ? {} : { connected_at: at }),
  };
}
