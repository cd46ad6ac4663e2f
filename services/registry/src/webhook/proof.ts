import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@stopgo/rpc';

/** Key of the digests that texts are compared by. */
const comparing = randomBytes(32);

/** What a webhook brings to prove that it is from whoever knows the secret; empty where it brings none. */
export type BroughtProof = {
  readonly body: Uint8Array;
  /** `sha256=` and the HMAC of the body, in hex. */
  readonly hubSignature: string;
  /** The HMAC of the body, in hex. */
  readonly giteaSignature: string;
  /** The secret itself. */
  readonly gitlabToken: string;
};

/** Whether it is from somebody who knows the secret. How long that takes tells nothing of it. */
export function isProven(brought: BroughtProof, secret: Secret): boolean {
  const expected = createHmac('sha256', secret.reveal()).update(brought.body).digest('hex');
  const proofs = [
    isSame(brought.hubSignature.toLowerCase(), `sha256=${expected}`),
    isSame(brought.giteaSignature.toLowerCase(), expected),
    isSame(brought.gitlabToken, secret.reveal()),
  ];
  return proofs.includes(true);
}

/** Compared by digests under a key of this process, since only texts of one length can be compared in one time. */
function isSame(brought: string, expected: string): boolean {
  const digest = (text: string) => createHmac('sha256', comparing).update(text).digest();
  return timingSafeEqual(digest(brought), digest(expected));
}
