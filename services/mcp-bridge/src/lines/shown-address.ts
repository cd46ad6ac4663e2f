import type { McpServerConfig } from '@stopgo/runtime';
import { shownUrl } from '@stopgo/security';

/** Where a server is, without arguments, queries or anything else that may be a credential. */
export function shownAddress(transport: McpServerConfig['transport']): string {
  return transport.kind === 'http' ? shownUrl(transport.url) : transport.command;
}
