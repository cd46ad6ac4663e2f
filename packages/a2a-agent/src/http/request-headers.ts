import { invalidArgument } from '@stopgo/core';
import type { Request } from 'express';
import { revisionMax } from '../bounds.ts';

/** The version that a request names, in its header or, for clients that cannot set headers, in its address. */
export function versionAsked(req: Request): string | undefined {
  const inAddress: unknown = req.query['A2A-Version'];
  return req.get('a2a-version') || (typeof inAddress === 'string' ? inAddress : undefined);
}

/** True unless a request says that its body is something else than JSON. */
export const saysJson = (req: Request): boolean => /json|^$/i.test(req.get('content-type') ?? '');

/**
 * The revision that a client has seen last, by its `Last-Event-ID`; undefined if it has seen none.
 *
 * @throws DomainError `invalid_argument` for what is no revision.
 */
export function lastRevisionSeen(req: Request): number | undefined {
  const last = req.get('last-event-id') || undefined;
  if (last === undefined) return undefined;
  if (!/^\d{1,10}$/.test(last) || Number(last) > revisionMax) {
    throw invalidArgument('Last-Event-ID must be the id of an event of this stream: a whole number');
  }
  return Number(last);
}
