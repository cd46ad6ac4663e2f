import { createHash, timingSafeEqual } from 'node:crypto';
import { internalTokenCharsMin } from './bounds.ts';
import type { Secret } from './secret.ts';

/** `open`: the server asks for no token, so a peer proves nothing. */
export type TokenProof = 'proven' | 'open' | 'refused';
export type TokenCheck = (presented: string | undefined) => TokenProof;

const sendable = /^[\x21-\x7e]*$/;

/**
 * Checks that a token can be sent as a header and is not trivially short.
 *
 * @throws Error that does not hold the token.
 */
export function checkInternalToken(token: Secret | undefined): void {
  if (token === undefined) return;
  const text = token.reveal();
  if (text.length < internalTokenCharsMin || !sendable.test(text)) {
    throw new Error(`the internal token must be at least ${internalTokenCharsMin} printable ASCII characters`);
  }
}

/** Compares in constant time what peers present with `expected`. */
export function tokenCheck(expected: Secret | undefined): TokenCheck {
  if (expected === undefined) return () => 'open';
  // Digests have one length, which a constant-time comparison needs, and do not tell the token's.
  const digest = sha256(expected.reveal());
  return (presented) => (presented !== undefined && timingSafeEqual(sha256(presented), digest) ? 'proven' : 'refused');
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
