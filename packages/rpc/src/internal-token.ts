import { internalTokenCharsMin } from './bounds.ts';
import type { Secret } from './secret.ts';

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
