import type { McpServerConfig } from '@stopgo/runtime';
import { shownUrl } from '@stopgo/security';

/** What the log says of a server when it is started. Arguments and queries may hold credentials and are left out. */
export function startLine({ name, transport }: McpServerConfig): string {
  return `MCP Server [${name}]: ${shownAddress(transport)}`;
}

/** Where a server is, without arguments, queries or anything else that may be a credential. */
export function shownAddress(transport: McpServerConfig['transport']): string {
  return transport.kind === 'http' ? shownUrl(transport.url) : transport.command;
}
