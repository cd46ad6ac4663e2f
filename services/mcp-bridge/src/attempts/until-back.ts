import type { Waits } from '@stopgo/log';
import type { mcp } from '@stopgo/proto';
import type { ServerConnection } from '../servers/server-connection.ts';

/** Waits for a server that is down, as `waitFor` does, and has the run of the call told so meanwhile. */
export async function untilBack(
  server: ServerConnection,
  { key, server: name }: Pick<mcp.ExecuteRequest, 'key' | 'server'>,
  { waits }: { readonly waits?: Waits },
  ms: number,
  signal: AbortSignal,
): ReturnType<ServerConnection['waitFor']> {
  const { down } = server;
  const { conversationId = '', runId = '' } = key ?? {};
  const reason = server.clean(down?.reason ?? '', undefined);
  const wait = waits?.begin({ conversationId, runId, kind: 'tool_server', name, reason });
  if (down?.retryAfterMs !== undefined) wait?.tries(down.retryAfterMs);
  return server.waitFor(ms, signal).finally(() => wait?.end());
}
