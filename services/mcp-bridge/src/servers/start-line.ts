import type { McpServerConfig } from '@stopgo/runtime';
import { shownAddress } from '../lines/shown-address.ts';

/** What the log says of a server when it is started. Arguments and queries may hold credentials and are left out. */
export function startLine({ name, transport }: McpServerConfig): string {
  return `MCP Server [${name}]: ${shownAddress(transport)}`;
}
