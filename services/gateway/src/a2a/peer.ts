import { activatedOf, type Dialect, extensionsHeader, extensionsNamed, hitlExtension } from '@stopgo/a2a-agent';
import { type Cursor, lastRevisionSeen, type Peer } from '@stopgo/a2a-agent/http';
import { describeError } from '@stopgo/runtime';
import type { Request, Response } from 'express';
import type { Frame } from '../frame.ts';
import type { RouteDependencies } from '../routes/route.ts';
import { extensionsOf } from './extensions.ts';
import { handlerOf } from './handler.ts';
import { headersOf } from './headers.ts';
import { profileOf, reachedAt } from './profile.ts';
import { asA2AError } from './task-errors.ts';

/** Who sent a request over HTTP. */
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
    ...headersOf(
      (name) => req.get(name),
      () => lastRevisionSeen(req),
    ),
    extensions,
    withHitl: extensions.includes(hitlExtension),
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
    return handlerOf(handlerDeps, { ...asked, dialect });
  };
  return { cursor, left, opened, handlerFor };
}
