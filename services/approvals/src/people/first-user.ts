// The first user, made with the key that a platform is set up with. The order is what counts: the user, their API key, and then the end
// of the setup key. Whatever is cut off between can be asked for again with the same key and address, and one answer at most is good.
import {
  type Actor,
  anonymous,
  apiKeyIdOf,
  apiKeyText,
  changeUser,
  createUser,
  type Fact,
  issueApiKey,
  keyProblem,
  type NewUser,
  noApiKey,
  noUser,
  permissionDenied,
  revokeApiKey,
  roleFromWire,
  type SetupPrincipal,
  userIdOf,
} from '@stopgo/core';
import type { views } from '@stopgo/proto';
import { decideApiKey, decideUser, keysOf, loadApiKey, type PeoplePorts } from './people-log.ts';

const keyBytes = 32;

/** A key that was just made, with its text. */
export type IssuedKey = { readonly apiKey: views.ApiKey; readonly text: string };

/** Makes an API key and records it. Whether it may be made is asked before. */
export async function issueKey(
  ports: PeoplePorts,
  actor: Actor,
  made: Parameters<typeof issueApiKey>[1],
): Promise<IssuedKey> {
  const text = apiKeyText(ports.randomBytes(keyBytes));
  const decide = (): readonly Fact[] => issueApiKey(text, made, ports.clock.now());
  const { state: apiKey } = await decideApiKey(ports, noApiKey(apiKeyIdOf(text)), actor, decide);
  return { apiKey, text };
}

/** The API key that a user is made with. */
export const firstKeyOf = (userId: string) => ({ userId, name: 'first', scopes: [], expiresAt: undefined });

/**
 * Makes the first user with the setup key, and ends it. Users who may do less than a SUPER_ADMIN may be there already: whoever signs in
 * with a token first must not keep the operator out.
 *
 * @throws DomainError `permission_denied` if there is an administrator who has signed in, or the key was used.
 */
export async function createFirstUser(
  ports: PeoplePorts,
  made: NewUser,
  by: SetupPrincipal,
  actor: Actor,
): Promise<IssuedKey & { readonly user: views.User }> {
  const id = userIdOf(made.email);
  createUser(noUser(id), made, by);
  const setupKey = await loadApiKey(ports, by.keyId);
  if (keyProblem(setupKey, ports.clock.now()) !== undefined) throw spent();
  const before = await firstAdministrator(ports);
  if (before !== undefined && (before.user.id !== id || before.hasEntered)) throw spent();
  const user = await decideUser(ports, before?.user ?? noUser(id), actor, (now) =>
    isUnentered(now) ? [] : createUser(now, made, by),
  );
  if ((await firstAdministrator(ports))?.user.id !== id) {
    // Somebody was made at the same time, with the same key, and is first.
    await decideUser(ports, user, actor, (now) => changeUser(now, { role: 'USER', active: false }, anonymous));
    throw spent();
  }
  const issued = await issueKey(ports, actor, firstKeyOf(id));
  const { isChanged } = await decideApiKey(ports, setupKey, actor, revokeApiKey);
  if (isChanged) return { user, ...issued };
  await decideApiKey(ports, issued.apiKey, actor, revokeApiKey);
  throw spent();
}

/**
 * The user who was the first to be a SUPER_ADMIN, of those who are; undefined if nobody is. `hasEntered`: they have signed in, or used a
 * key of theirs, so that nothing remains to be set up.
 */
export async function firstAdministrator(
  ports: PeoplePorts,
): Promise<{ readonly user: views.User; readonly hasEntered: boolean } | undefined> {
  for (let cursor = ''; ; ) {
    const { users, nextCursor } = await ports.store.listUsers({ cursor });
    const user = users.find(({ role }) => roleFromWire(role) === 'SUPER_ADMIN');
    if (user !== undefined) {
      const hasUsedKey = async () => (await keysOf(ports, user.id)).some(({ lastUsedAt }) => lastUsedAt !== undefined);
      return { user, hasEntered: !isUnentered(user) || (await hasUsedKey()) };
    }
    if (nextCursor === '') return undefined;
    cursor = nextCursor;
  }
}

const isUnentered = ({ revision, role, active, lastSignInAt }: views.User): boolean =>
  revision > 0 && active && roleFromWire(role) === 'SUPER_ADMIN' && lastSignInAt === undefined;

const spent = () => permissionDenied('there is a first user already, or this key was used: sign in as that user');
