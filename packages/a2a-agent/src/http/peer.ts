import type { Request, Response } from 'express';
import type { Dialect } from '../dialect.ts';
import { activatedOf, extensionsHeader, extensionsNamed } from '../extensions.ts';
import type { A2ARequestHandler } from '../protocol.ts';
import type { Cursor, HttpAgent } from './http-agent.ts';

/** Who sent a request, whatever it turns out to speak. */
export type Peer = {
  /** Who answers it, once it is known how it speaks. */
  readonly handlerFor: (dialect: Dialect) => A2ARequestHandler;
  readonly cursor: Cursor;
  /** Aborts when the peer has left; to be aborted when nothing more is sent to it. */
  readonly left: AbortController;
  /** Resolves when a stream is known to be good though it has no event yet. */
  readonly opened: Promise<void>;
};

/** Who sent this request. The answer names the extensions that are active. */
export function peerOf<Frame>(agent: HttpAgent<Frame>, req: Request, res: Response, frame: Frame): Peer {
  const left = new AbortController();
  res.once('close', () => left.abort());
  const cursor: Cursor = { revision: undefined };
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const named = extensionsNamed((name) => req.get(name));
  const activated = activatedOf(agent.extensions, named);
  const handlerFor = (dialect: Dialect) => {
    if (activated.length > 0) res.setHeader(extensionsHeader(dialect), activated.join(', '));
    return agent.handlerFor({ req, frame, dialect, named, cursor, open, signal: left.signal });
  };
  return { cursor, left, opened, handlerFor };
}

/**
 * The dialect of somebody who asks for a task without saying how he speaks: the one that it was started in. For a task that is not there it is
 * the legacy one at the address that peers of that age are given, else 0.3.
 */
export async function dialectOfTask<Frame>(
  agent: HttpAgent<Frame>,
  req: Request,
  frame: Frame,
  taskId: unknown,
): Promise<'0.3' | 'legacy' | 'unknown'> {
  const startedIn = typeof taskId === 'string' ? await agent.startedIn(frame, taskId) : undefined;
  return startedIn ?? (req.path === '/a2a' ? 'legacy' : '0.3');
}
