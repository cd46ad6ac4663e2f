import { invalidArgument, type Principal } from '@stopgo/core';
import { bearerBytesMax } from './bounds.ts';
import type { PeerName } from './peers.ts';
import type { Secret } from './secret.ts';

/** What a service knows of a call besides the request. */
export type CallContext = {
  /** The end user's token, to be forwarded to tools and agents, never stored. */
  readonly bearerToken?: Secret;
  /** The end user's session: `[A-Za-z0-9._:-]{1,128}`. */
  readonly sessionId?: string;
  /**
   * Who acts. Believed only of a peer that proved the internal token; else, and where it names nobody in particular, whom the service
   * was started with for that: anonymous, or nobody where people sign in.
   */
  readonly principal: Principal;
  /** W3C trace context. */
  readonly traceparent?: string;
  /** When the caller stops waiting, in milliseconds of the `Date.now` clock. */
  readonly deadline?: number;
  /**
   * Aborts when the caller leaves, the deadline passes or the server stops; its reason is a `DomainError` of kind
   * `canceled`, `deadline_exceeded` or `unavailable`. It stays quiet when the call ends normally.
   */
  readonly signal: AbortSignal;
  /** Whether the caller is one of our own services: in this process, or holding the internal token. */
  readonly peerInternal: boolean;
  /**
   * Which of our services the caller proved to be. Absent: it did not prove it, as with a token that all services share. Who must be
   * told apart is told apart by this and never by what a request says.
   */
  readonly peerService?: PeerName;
};

/** What a caller sends along with a request. */
export type OutgoingContext = {
  readonly bearerToken?: Secret;
  readonly sessionId?: string;
  readonly principal?: Principal;
  readonly traceparent?: string;
  /** The call ends at this time at the latest, in milliseconds of the `Date.now` clock. */
  readonly deadline?: number;
  /** The call is canceled when this aborts. */
  readonly signal?: AbortSignal;
};

/** What to send on calls made on behalf of `context`: identity and trace, and its deadline and cancellation. */
export function forward(context: CallContext): OutgoingContext {
  return {
    ...forwardDetached(context),
    ...(context.deadline === undefined ? {} : { deadline: context.deadline }),
    signal: context.signal,
  };
}

/** As {@link forward}, but for work that goes on when the caller has left: without its deadline and cancellation. */
export function forwardDetached(context: CallContext): OutgoingContext {
  return {
    ...(context.bearerToken === undefined ? {} : { bearerToken: context.bearerToken }),
    ...(context.sessionId === undefined ? {} : { sessionId: context.sessionId }),
    principal: context.principal,
    ...(context.traceparent === undefined ? {} : { traceparent: context.traceparent }),
  };
}

const sessionId = /^[A-Za-z0-9._:-]{1,128}$/;
const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * Checks the parts of a context that come from outside. The same for every transport and in both directions.
 *
 * @throws DomainError `invalid_argument` that names the part, never its value.
 */
export function checkContext(context: Pick<OutgoingContext, 'bearerToken' | 'sessionId' | 'traceparent'>): void {
  if (context.sessionId !== undefined && !sessionId.test(context.sessionId)) {
    throw invalidArgument('call context: the session id must match [A-Za-z0-9._:-]{1,128}');
  }
  if (context.traceparent !== undefined && !traceparent.test(context.traceparent)) {
    throw invalidArgument('call context: the traceparent is not a W3C trace context');
  }
  if (context.bearerToken !== undefined && Buffer.byteLength(context.bearerToken.reveal()) > bearerBytesMax) {
    throw invalidArgument(`call context: the bearer token is longer than ${bearerBytesMax} bytes`);
  }
}
