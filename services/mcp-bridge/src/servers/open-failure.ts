import { DomainError } from '@stopgo/core';
import type { McpServerConfig } from '@stopgo/runtime';
import { LoginFailed, NotAllowed, NotSent, RedirectRefused, reasonOf, UnsupportedTransport } from '../failures.ts';
import type { Happening } from './server-state.ts';

const unauthorized = 401;
const forbidden = 403;

/** What a connection that could not be made means for the life of its server. */
export function openFailure({ transport }: McpServerConfig, error: unknown): Happening {
  const reason = reasonOf(error);
  if (!waitingHelps(error)) return { type: 'refused', reason };
  if (error instanceof DomainError) return { type: 'unreachable', reason };
  // What answers nobody over HTTP may be anywhere in the world and on its way. A process is ours, and it has ended.
  return { type: transport.kind === 'http' ? 'unreachable' : 'failed', reason };
}

/** Whether a server may still come. False for what stays as it is: wrong credentials, a redirect, what we do not allow. */
export function waitingHelps(error: unknown): boolean {
  // The log is away, and with it what is accepted of the server; or it holds what nobody can go by.
  if (error instanceof DomainError) return error.kind === 'unavailable';
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof NotSent) return true;
    if (at instanceof LoginFailed) return at.mayPass;
    if (at instanceof RedirectRefused || at instanceof NotAllowed || at instanceof UnsupportedTransport) return false;
    if ('status' in at && (at.status === unauthorized || at.status === forbidden)) return false;
  }
  return true;
}
