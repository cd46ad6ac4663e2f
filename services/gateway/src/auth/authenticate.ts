import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  apiKeyIdOf,
  checkEmail,
  endOf,
  groupsOfKey,
  isApiKey,
  isSignInStale,
  isUseStale,
  keyProblem,
  type Principal,
  roleFromWire,
  scopesOf,
  userIdOf,
} from '@stopgo/core';
import type { people, store, views } from '@stopgo/proto';
import { type Client, Secret } from '@stopgo/rpc';
import { notSignedIn } from './refusal.ts';
import type { CheckToken, TokenSays } from './tokens.ts';

/** What a request brings to say who sends it. */
export type Credentials = {
  readonly authorization: string | undefined;
  readonly apiKey: string | undefined;
  readonly toolAuthorization: string | undefined;
};

/** Who sends a request, and the token that goes along to tools and agents. */
export type Identified = { readonly principal: Principal; readonly bearerToken?: Secret };

/** Finds out who sends a request. Throws DomainError `unauthenticated` for credentials that are not taken. */
export type Authenticate = (credentials: Credentials) => Promise<Identified>;

export type AuthenticateParts = {
  readonly store: Pick<Client<typeof store.StoreService>, 'getPerson'>;
  readonly people: Client<typeof people.PeopleService>;
  /** Undefined: no tokens of people are taken. */
  readonly checkToken: CheckToken | undefined;
  /** Whether who is not known is made a user at their first sign-in. */
  readonly mayCreate: boolean;
  /** For how long the groups of a recorded sign-in count for the API keys of its user, in milliseconds. */
  readonly keyGroupsForMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Is told why something could not be noted. */
  readonly onNotNoted: (error: unknown) => void;
};

const bearerPattern = /^bearer +(\S+) *$/i;
const nobody: Principal = { kind: 'nobody' };

/** The token of a header `Authorization` or one of its form; undefined if it holds none. */
export const bearerIn = (header: string | undefined): string | undefined => bearerPattern.exec(header ?? '')?.[1];

/**
 * Tells people by what their requests bring: an API key in `X-API-Key`, or in `Authorization` an API key or a token of the configured
 * issuer. Role and activity are the record's at this moment, whatever a token says.
 *
 * What was spent on the platform goes no further. Beside a key in `X-API-Key`, `Authorization` is the tools' as where nobody signs in;
 * otherwise theirs is in `X-Tool-Authorization`.
 */
export function authenticator(parts: AuthenticateParts): Authenticate {
  return async ({ authorization, apiKey, toolAuthorization }) => {
    const [bearer, forTools] = [bearerIn(authorization), bearerIn(toolAuthorization)];
    if (apiKey !== undefined) return identified(await byApiKey(parts, apiKey.trim(), 'X-API-Key'), forTools ?? bearer);
    if (authorization === undefined) return identified(nobody, forTools);
    if (bearer === undefined) throw notSignedIn('Authorization must be: Bearer, and then a token or an API key');
    if (isApiKey(bearer)) return identified(await byApiKey(parts, bearer, 'Authorization'), forTools);
    return identified(await byToken(parts, bearer), forTools);
  };
}

const identified = (principal: Principal, token: string | undefined): Identified => ({
  principal,
  ...(token === undefined ? {} : { bearerToken: new Secret(token) }),
});

async function byApiKey(parts: AuthenticateParts, text: string, header: string): Promise<Principal> {
  const refused = (why: string) => notSignedIn(`the API key in ${header} was not taken: ${why}`);
  if (!isApiKey(text)) throw refused('it is not in the form of one');
  const keyId = apiKeyIdOf(text);
  const { user, apiKey } = await parts.store.getPerson({ by: { case: 'apiKeyId', value: keyId } });
  const problem = apiKey === undefined ? 'unknown' : keyProblem(apiKey, parts.now());
  if (apiKey === undefined || problem === 'unknown') throw refused('there is no such key');
  if (problem !== undefined) throw refused(`it has ${problem === 'expired' ? 'expired' : 'been revoked'}`);
  if (apiKey.userId === '') return { kind: 'setup', keyId };
  if (user?.active !== true) throw refused('its user is not active');
  if (isUseStale(apiKey, parts.now())) void parts.people.noteKeyUse({ apiKeyId: keyId }).catch(parts.onNotNoted);
  const [scopes, until] = [scopesOf(apiKey), endOf(apiKey)];
  return {
    ...userPrincipal(user, groupsOfKey(apiKey, user, parts.keyGroupsForMs, parts.now())),
    via: 'api_key',
    ...(scopes === undefined ? {} : { scopes }),
    ...(until === undefined ? {} : { until }),
    ...(apiKey.given ? { given: true } : {}),
  };
}

async function byToken(parts: AuthenticateParts, token: string): Promise<Principal> {
  if (parts.checkToken === undefined)
    throw notSignedIn('tokens are not taken here, only API keys: send one in X-API-Key');
  const said = await parts.checkToken(token);
  const email = addressIn(said);
  const user = await userOf(parts, said);
  if (user === undefined) throw notSignedIn(`there is no user ${email}; have an administrator create it`);
  if (!user.active) throw notSignedIn('this user is not active; ask an administrator');
  return { ...userPrincipal(user, said.groups), via: 'token' };
}

/** Checked before anybody is looked up by it: what is no plain address could be taken for that of somebody else. */
function addressIn({ email }: { readonly email: string }): string {
  try {
    return checkEmail(email);
  } catch {
    throw notSignedIn('the token was not taken: what it names is no e-mail address in plain ASCII characters');
  }
}

async function userOf(parts: AuthenticateParts, said: TokenSays): Promise<views.User | undefined> {
  const { people, mayCreate, now } = parts;
  const { issuedAt, ...rest } = said;
  const tokenIssuedAt = issuedAt === undefined ? {} : { tokenIssuedAt: timestampFromMs(issuedAt) };
  const request = { ...rest, groups: [...said.groups], mayCreate, ...tokenIssuedAt };
  const { user } = await parts.store.getPerson({ by: { case: 'userId', value: userIdOf(said.email) } });
  if (user === undefined) return mayCreate ? (await people.signIn(request)).user : undefined;
  // Nobody waits for what is only noted.
  if (user.active && isSignInStale(user, said, now())) void people.signIn(request).catch(parts.onNotNoted);
  return user;
}

const userPrincipal = ({ id, email, name, role }: views.User, groups: readonly string[]) =>
  ({ kind: 'user', id, email, name, role: roleFromWire(role), groups }) as const;

/** Who a link decides as. */
export type LinkUser = (userId: string) => Promise<Principal | undefined>;

/**
 * Tells who the user of a link is now; undefined for one who is not there or not active. They may do with it what `approve` allows. Their
 * groups count as with an API key of their own.
 */
export const linkUsers =
  ({ store, keyGroupsForMs, now }: Pick<AuthenticateParts, 'store' | 'keyGroupsForMs' | 'now'>): LinkUser =>
  async (userId) => {
    const { user } = await store.getPerson({ by: { case: 'userId', value: userId } });
    if (user?.active !== true) return undefined;
    const groups = groupsOfKey({ given: false }, user, keyGroupsForMs, now());
    return { ...userPrincipal(user, groups), via: 'link', scopes: ['approve'] };
  };
