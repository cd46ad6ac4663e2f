import { Metadata } from '@grpc/grpc-js';
import { anonymous, type Principal } from '@stopgo/core';
import { type CallContext, checkContext, type OutgoingContext } from './context.ts';
import type { TokenProof } from './peers.ts';
import { parsePrincipal } from './principal-json.ts';
import { Secret } from './secret.ts';

// Own keys instead of `authorization`: what proxies and tracers log by habit must not hold an end user's token.
const bearer = 'stopgo-bearer-bin';
const session = 'stopgo-session-id';
const principalField = 'stopgo-principal-bin';
const trace = 'traceparent';
const internalTokenField = 'stopgo-internal-token';

/** The identity and trace of a call as they travel. Deadline and cancellation travel by themselves. */
export type WireContext = {
  readonly bearerToken?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly traceparent?: string | undefined;
  /** As JSON. */
  readonly principal?: string | undefined;
};

/**
 * What to send of a context.
 *
 * @throws DomainError `invalid_argument` if a part is malformed.
 */
export function wireContextOf(context: OutgoingContext): WireContext {
  checkContext(context);
  return {
    ...(context.bearerToken === undefined ? {} : { bearerToken: context.bearerToken.reveal() }),
    ...(context.sessionId === undefined ? {} : { sessionId: context.sessionId }),
    ...(context.traceparent === undefined ? {} : { traceparent: context.traceparent }),
    principal: JSON.stringify(context.principal ?? anonymous),
  };
}

/** The internal token and a context as gRPC metadata. */
export function metadataOf(internalToken: Secret | undefined, context: WireContext = {}): Metadata {
  const metadata = new Metadata();
  if (internalToken !== undefined) metadata.set(internalTokenField, internalToken.reveal());
  if (context.bearerToken !== undefined) metadata.set(bearer, Buffer.from(context.bearerToken));
  if (context.sessionId !== undefined) metadata.set(session, context.sessionId);
  if (context.traceparent !== undefined) metadata.set(trace, context.traceparent);
  if (context.principal !== undefined) metadata.set(principalField, Buffer.from(context.principal));
  return metadata;
}

/** The internal token a peer sent, if any. */
export function internalTokenOf(metadata: Metadata): string | undefined {
  return textOf(metadata, internalTokenField);
}

/** The context a peer sent as gRPC metadata. */
export function wireContextIn(metadata: Metadata): WireContext {
  const bearerToken = textOf(metadata, bearer);
  const sessionId = textOf(metadata, session);
  const traceparent = textOf(metadata, trace);
  const principal = textOf(metadata, principalField);
  return {
    ...(bearerToken === undefined ? {} : { bearerToken }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(principal === undefined ? {} : { principal }),
  };
}

/**
 * The identity and trace that a peer sent. The principal is believed of an internal peer only.
 *
 * @param unnamed - who acts where the peer is not believed, or names nobody in particular.
 * @throws DomainError `invalid_argument` if a part is malformed.
 */
export function identityOf(
  { bearerToken, sessionId, traceparent, principal }: WireContext,
  proof: TokenProof,
  unnamed: Principal,
): Omit<CallContext, 'signal' | 'deadline'> {
  const peerInternal = proof.kind === 'proven';
  const named = peerInternal && principal !== undefined ? parsePrincipal(principal) : anonymous;
  const identity = {
    ...(bearerToken === undefined ? {} : { bearerToken: new Secret(bearerToken) }),
    ...(sessionId === undefined ? {} : { sessionId }),
    principal: named.kind === 'anonymous' ? unnamed : named,
    ...(traceparent === undefined ? {} : { traceparent }),
    peerInternal,
    ...(proof.kind !== 'proven' || proof.service === undefined ? {} : { peerService: proof.service }),
  };
  checkContext(identity);
  return identity;
}

function textOf(metadata: Metadata, key: string): string | undefined {
  return metadata.get(key)[0]?.toString();
}
