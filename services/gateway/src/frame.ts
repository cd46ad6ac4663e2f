import { ANONYMOUS, type OutgoingContext, type Principal, Secret } from '@stopgo/rpc';
import type { Request, Response } from 'express';

/** What the gateway knows of a request before any handler looks at it. */
export type Frame = {
  /** The session that the request belongs to: as sent, else new. */
  readonly sessionId: string;
  readonly principal: Principal;
  /** What goes along with every call to a service. */
  readonly context: OutgoingContext;
  /** Where the client's connection comes from. */
  readonly address: string;
  /** The conversation that the request turned out to be about, for the log. */
  conversationId?: string;
};

const SESSION_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const BEARER = /^bearer +(\S+) *$/i;

/** True for a session id that may be reused. */
export const isSessionId = (text: string): boolean => SESSION_ID.test(text);

/** Makes the frame of a request and keeps it with its response. A malformed session id is replaced by a new one here. */
export function frameRequest(req: Request, res: Response, newSessionId: () => string): Frame {
  const sent = req.get('x-session-id');
  const sessionId = sent !== undefined && isSessionId(sent) ? sent : newSessionId();
  const bearer = BEARER.exec(req.get('authorization') ?? '')?.[1];
  const frame: Frame = {
    sessionId,
    principal: ANONYMOUS,
    context: {
      sessionId,
      principal: ANONYMOUS,
      ...(bearer === undefined ? {} : { bearerToken: new Secret(bearer) }),
    },
    address: (req.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, ''),
  };
  res.locals.frame = frame;
  return frame;
}

/** The frame of a request that {@link frameRequest} has seen. */
export const frameOf = (res: Response): Frame => res.locals.frame as Frame;
