import {
  type A2ARequestHandler,
  activatedOf,
  type Dialect,
  extensionsHeader,
  extensionsNamed,
  HITL_EXTENSION,
} from '@stopgo/a2a-agent';
import { invalidArgument } from '@stopgo/core';
import { describeError } from '@stopgo/runtime';
import type { Request, Response } from 'express';
import { REVISION_MAX } from '../bounds.ts';
import type { Frame } from '../frame.ts';
import { idempotencyKeyOf } from '../idempotency.ts';
import type { RouteDependencies } from '../routes/route.ts';
import type { Cursor } from './call.ts';
import { extensionsOf } from './extensions.ts';
import { requestHandler } from './handler.ts';
import { profileOf, reachedAt } from './profile.ts';
import { asA2AError } from './task-errors.ts';

/** Who sent a request, whatever it turns out to speak. */
export type Peer = {
  readonly handlerFor: (dialect: Dialect) => A2ARequestHandler;
  readonly cursor: Cursor;
  /** Aborts when the peer has left; to be aborted when nothing more is sent to it. */
  readonly left: AbortController;
  /** Resolves when a stream is known to be good though it has no event yet. */
  readonly opened: Promise<void>;
};

/** @throws DomainError `invalid_argument` for a malformed `Idempotency-Key` or `Last-Event-ID`. */
export function peerOf(deps: RouteDependencies, req: Request, res: Response, frame: Frame): Peer {
  const left = new AbortController();
  res.once('close', () => left.abort());
  const cursor: Cursor = { revision: undefined };
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const extensions = extensionsNamed((name) => req.get(name));
  const activated = activatedOf(extensionsOf(deps), extensions);
  const asked = {
    open,
    frame,
    idempotencyKey: idempotencyKeyOf(req),
    after: lastRevisionSeen(req),
    extensions,
    withHitl: extensions.includes(HITL_EXTENSION),
    cursor,
    signal: left.signal,
  };
  const report = (cause: unknown, id: string): void =>
    deps.log.error('internal error', {
      error_id: id,
      path: req.path,
      sid: frame.sessionId,
      error: describeError(cause),
    });
  const handlerDeps = {
    ...deps,
    profile: () => profileOf(deps, reachedAt(req), frame),
    asA2AError: (error: unknown) => asA2AError(error, deps.newId, report),
  };
  const handlerFor = (dialect: Dialect) => {
    if (activated.length > 0) res.setHeader(extensionsHeader(dialect), activated.join(', '));
    return requestHandler(handlerDeps, { ...asked, dialect });
  };
  return { cursor, left, opened, handlerFor };
}

/** The version that a request names, in its header or, for clients that cannot set headers, in its address. */
export function versionAsked(req: Request): string | undefined {
  const inAddress: unknown = req.query['A2A-Version'];
  return req.get('a2a-version') || (typeof inAddress === 'string' ? inAddress : undefined);
}

/**
 * The revision that a client has seen last, by its `Last-Event-ID`; undefined if it has seen none.
 *
 * @throws DomainError `invalid_argument` for what is no revision.
 */
function lastRevisionSeen(req: Request): number | undefined {
  const last = req.get('last-event-id') || undefined;
  if (last === undefined) return undefined;
  if (!/^\d{1,10}$/.test(last) || Number(last) > REVISION_MAX) {
    throw invalidArgument('Last-Event-ID must be the id of an event of this stream: a whole number');
  }
  return Number(last);
}
