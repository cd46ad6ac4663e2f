import type { ServerState } from './server-state.ts';

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
