// Who makes a key for whom. A key is its user: whoever has one decides and votes as them.
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { views } from '@stopgo/proto';
import { DomainError, permissionDenied } from '../text/errors.ts';
import { keyProblem, type NewApiKey } from './api-key.ts';
import type { Principal } from './principal.ts';

/**
 * Checks that somebody may make this key for this user.
 *
 * People make their own keys. Only somebody who has never signed in, with a token or a key, is given one by others, so that they can
 * begin: by a SUPER_ADMIN, and one at a time, so that nobody keeps a second one of somebody. It carries no groups. What was presented
 * never makes a key that may more, or for longer, than itself.
 *
 * @param keys - of the user, all of them.
 * @param now - milliseconds since 1970.
 * @throws DomainError `not_found`, `permission_denied`.
 */
export function checkIssue(
  by: Principal,
  user: views.User,
  made: NewApiKey,
  keys: readonly views.ApiKey[],
  now: number,
): void {
  if (user.revision === 0) throw new DomainError('not_found', `there is no user ${user.id}`);
  if (by.kind !== 'user') return;
  if (by.id !== user.id) {
    if (by.role !== 'SUPER_ADMIN')
      throw permissionDenied('people make their own keys; only a SUPER_ADMIN makes the first one of somebody');
    if (user.lastSignInAt !== undefined || keys.some(({ lastUsedAt }) => lastUsedAt !== undefined))
      throw permissionDenied(
        `${user.email} has signed in before, and makes their own keys: POST /users/${user.id}/keys`,
      );
    if (keys.some((key) => keyProblem(key, now) === undefined))
      throw permissionDenied(`${user.email} has a key to begin with; if it is lost, revoke it first`);
  }
  const { scopes, until } = by;
  if (
    scopes !== undefined &&
    (made.scopes.length === 0 || made.scopes.some((one) => !scopes.some((has) => has === one)))
  )
    throw permissionDenied(
      `scopes: a key made with this key has some of its scopes (${scopes.join(', ')}), and no others`,
      { field: 'scopes' },
    );
  if (until !== undefined && (made.expiresAt === undefined || made.expiresAt > until))
    throw permissionDenied('expires_at: a key made with this key ends when it does, or before', {
      field: 'expires_at',
    });
}

/** When what a key lets somebody do ends, in milliseconds since 1970; undefined: it does not end. */
export const endOf = ({ expiresAt }: views.ApiKey): number | undefined => expiresAt && timestampMs(expiresAt);
