import { visibleText } from '@stopgo/core';
import type { Logger, McpServerConfig } from '@stopgo/runtime';
import { shownAddress } from '../lines/shown-address.ts';
import type { ServerState } from './server-state.ts';

/** What the log says of a server when it is started. Arguments and queries may hold credentials and are left out. */
export function startLine({ name, transport }: McpServerConfig): string {
  return `MCP Server [${name}]: ${shownAddress(transport)}`;
}

/**
 * Why a server cannot be used, as a sentence that names it; empty if it can. `progress`: how far its start is, if one goes on.
 */
export function stateLine(server: string, state: ServerState, progress?: string): string {
  const name = `the server "${server}"`;
  const again = progress === undefined ? '' : `; it is being started: ${progress}`;
  switch (state.kind) {
    case 'starting':
      return progress === undefined ? `${name} has not been started` : `${name} is starting: ${progress}`;
    case 'ready':
    case 'degraded':
      return '';
    case 'backoff':
      return `${name} is down: ${state.reason}${again}`;
    case 'crash_loop':
      return `${name} ends again and again: ${state.reason}${again}`;
    case 'quarantined':
      return `${name} is quarantined: ${state.reason}${again}`;
    case 'stopped':
      return `${name} is stopped`;
  }
}

/**
 * Writes down that a server is down, in other words if it will stay so for long. `how`: it was not there at the start, was lost, or
 * did not come back.
 */
export function tellDown(name: string, state: ServerState, how: 'absent' | 'lost' | 'not_back', log: Logger): void {
  const reason = visibleText('reason' in state ? state.reason : '');
  if (state.kind === 'crash_loop') log.warn(`MCP server "${name}" ends again and again: ${reason}`);
  else if (state.kind === 'quarantined') log.warn(`MCP server "${name}" is quarantined: ${reason}`);
  else if (how === 'absent') log.warn(`MCP server "${name}" is not there: ${reason}; the agent starts without it`);
  else if (how === 'lost') log.warn(`MCP server "${name}" lost: ${reason}`);
  else log.warn(`MCP server "${name}" is not back yet: ${reason}`);
}
