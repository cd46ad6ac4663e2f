import type { AgentConfig } from '@stopgo/runtime';

/**
 * A stdio tool server runs in every bridge: only one that keeps nothing between calls may run more than once.
 *
 * @throws Error in one line that names the server and what to do.
 */
export function checkToolServers({ mcpServers }: AgentConfig, bridges: number): void {
  if (bridges < 2) return;
  const at = mcpServers.findIndex(({ transport, stateless }) => transport.kind === 'stdio' && !stateless);
  const server = mcpServers[at];
  if (server === undefined) return;
  throw new Error(
    `mcp_servers[${at}] "${server.name}": a server with a command would run once in each of ${bridges} bridges; set "stateless: true" if it keeps nothing between calls, reach it by url, or start one mcp-bridge`,
  );
}
