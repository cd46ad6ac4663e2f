import type { IncomingHttpHeaders } from 'node:http';
import type { Session } from './session.ts';

/** The header in which a page says as whom it shows what it shows. */
const personHeader = 'x-signed-in-as';

/** What is sent on in the name of whom; or why it is not. `session` tells the app what to do. */
export type Admission =
  | { readonly kind: 'admitted'; readonly token?: string }
  | { readonly kind: 'refused'; readonly status: 401 | 403; readonly error: string; readonly session?: SessionProblem };

/** `none`: nobody is signed in. `due`: the session is to be renewed first. `ended`: it is over. `other`: it is of somebody else. */
export type SessionProblem = 'none' | 'due' | 'ended' | 'other';

/**
 * Whether a request goes to the gateway, and with whose token.
 *
 * 1. Who brings credentials of their own is who those say; the session then is nobody's, so that none is mixed with the other.
 * 2. A browser sends cookies by itself, whoever made it ask. What changes something must come from a page of ours, and say for whom that
 *    page was made: so no other page decides in somebody's name, nor does a tab of who was signed in before.
 */
export function admissionOf(
  { method, headers }: { readonly method: string; readonly headers: IncomingHttpHeaders },
  session: Session | undefined,
  { publicUrl, now }: { readonly publicUrl: string; readonly now: number },
): Admission {
  if (headers.authorization !== undefined || headers['x-api-key'] !== undefined) return { kind: 'admitted' };
  if (session === undefined) return refused(401, 'sign in first', 'none');
  const person = headers[personHeader];
  const changes = method !== 'GET' && method !== 'HEAD';
  if (changes && !isOwnPage(headers, publicUrl)) return refused(403, notOurs);
  if (changes && person === undefined)
    return refused(403, `a request that changes something names in ${personHeader} who is signed in on its page`);
  if (person !== undefined && person !== session.person)
    return refused(401, 'somebody else has signed in in this browser; load the page again', 'other');
  if (now < session.tokenUntil) return { kind: 'admitted', token: session.token };
  return session.refreshToken === undefined
    ? refused(401, 'the session has ended; sign in again', 'ended')
    : refused(401, 'the session is to be renewed', 'due');
}

export const notOurs = 'only pages of this app may do that';

const refused = (status: 401 | 403, error: string, session?: SessionProblem): Admission => ({
  ...{ kind: 'refused', status, error },
  ...(session === undefined ? {} : { session }),
});

/** Whether a browser says that a page of this very origin sends it. One that says nothing is too old to be trusted with a session. */
export function isOwnPage(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  return origin === undefined ? site === 'same-origin' : origin === publicUrl;
}
