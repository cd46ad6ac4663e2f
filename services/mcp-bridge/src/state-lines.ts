import type { ServerState } from './server-state.ts';

/** Why a server cannot be used, as a sentence that names it; empty if it can. */
export function stateLine(server: string, state: ServerState): string {
  const name = `the server "${server}"`;
  switch (state.kind) {
    case 'starting':
      return `${name} has not been started`;
    case 'ready':
    case 'degraded':
      return '';
    case 'backoff':
      return `${name} is down: ${state.reason}`;
    case 'crash_loop':
      return `${name} ends again and again: ${state.reason}`;
    case 'quarantined':
      return `${name} is quarantined: ${state.reason}`;
    case 'stopped':
      return `${name} is stopped`;
  }
}
