import { anonymous, type Principal } from '@stopgo/core';
import { type OutgoingContext, Secret } from '@stopgo/rpc';
import type { Request, Response } from 'express';
import type { Authenticate, Credentials, Identified } from './auth/authenticate.ts';

/** What the gateway knows of a request before any handler looks at it. */
export type Frame = {
  /** The session that the request belongs to: as sent, else that of its conversation, else new. */
  sessionId: string;
  /** True if the client named the session. */
  readonly isSessionNamed: boolean;
  principal: Principal;
  /** What goes along with every call to a service; the session only if the client named it. */
  context: OutgoingContext;
  /** Where the client's connection comes from. */
  readonly address: string;
  /** The conversation that the request turned out to be about, for the log. */
  conversationId?: string;
  /**
   * Asks once more who they are who sent it, by what they sent; absent: nobody signs in here. Throws DomainError `unauthenticated` for
   * what is not taken any more.
   */
  signInAgain?: () => Promise<Principal>;
  /** Told when the session turns out to be another one. */
  onSession?: (sessionId: string) => void;
};

const sessionIdPattern = /^[A-Za-z0-9._:-]{1,128}$/;
const bearerPattern = /^bearer +(\S+) *$/i;

/** True for a session id that may be reused. */
export const isSessionId = (text: string): boolean => sessionIdPattern.test(text);

/** What a request says of itself, however it came. */
export type Sent = {
  readonly session: string | undefined;
  readonly authorization: string | undefined;
  readonly address: string;
};

/** What goes along with the call that makes a conversation: it begins in the session of its request. */
export const contextOfFirst = ({ context, sessionId }: Frame): OutgoingContext => ({ ...context, sessionId });

/** The request has turned out to be about a conversation: it belongs to that one's session, unless it names another. */
export function joinSession(frame: Frame, { sessionId }: { readonly sessionId: string }): void {
  if (frame.isSessionNamed || sessionId === frame.sessionId || !isSessionId(sessionId)) return;
  frame.sessionId = sessionId;
  frame.onSession?.(sessionId);
}

/** The frame of a request. A malformed session id is replaced by a new one here. */
export function frameFrom({ session, authorization = '', address }: Sent, newSessionId: () => string): Frame {
  const named = session !== undefined && isSessionId(session) ? session : undefined;
  const bearer = bearerPattern.exec(authorization)?.[1];
  return {
    sessionId: named ?? newSessionId(),
    isSessionNamed: named !== undefined,
    principal: anonymous,
    context: {
      principal: anonymous,
      ...(named === undefined ? {} : { sessionId: named }),
      ...(bearer === undefined ? {} : { bearerToken: new Secret(bearer) }),
    },
    address: address.replace(/^::ffff:(?=\d+\.)/, ''),
  };
}

/** It is known who sends the request, and which token goes along to tools and agents; before, it was taken to be from anybody. */
export function identify(frame: Frame, { principal, bearerToken }: Identified): void {
  const { bearerToken: _asSent, ...context } = frame.context;
  frame.principal = principal;
  frame.context = { ...context, principal, ...(bearerToken === undefined ? {} : { bearerToken }) };
}

/** Finds out who sends the request. Throws DomainError `unauthenticated` for credentials that are not taken. */
export async function signIn(frame: Frame, authenticate: Authenticate, credentials: Credentials): Promise<void> {
  identify(frame, await authenticate(credentials));
  frame.signInAgain = async () => (await authenticate(credentials)).principal;
}

/** Makes the frame of an HTTP request and keeps it with its response. */
export function frameRequest(req: Request, res: Response, newSessionId: () => string): Frame {
  const frame = frameFrom(
    {
      session: req.get('x-session-id'),
      authorization: req.get('authorization'),
      address: req.socket.remoteAddress ?? '',
    },
    newSessionId,
  );
  res.locals.frame = frame;
  return frame;
}

/** The frame of a request that {@link frameRequest} has seen. */
export const frameOf = (res: Response): Frame => res.locals.frame as Frame;
