import { visibleText } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import type { ServerState } from './server-state.ts';

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
