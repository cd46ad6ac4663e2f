import { createHash } from 'node:crypto';

/** The hash before the first event of a stream: 32 zero bytes. */
export const chainStart: Uint8Array = new Uint8Array(32);

/** The hash of an event: SHA-256 over the hash before it and its stored bytes. */
export function chainHash(previous: Uint8Array, envelopeBytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(previous).update(envelopeBytes).digest());
}
