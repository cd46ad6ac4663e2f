// JSON Web Tokens of people. What a token must be is fixed by the configuration, never by the token: its issuer, its audience, and the
// algorithms that go with the configured key. So neither `alg: none` nor a public key that is taken for a secret gets anywhere.
import { readFileSync } from 'node:fs';
import { DomainError, unavailable } from '@stopgo/core';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { groupsBytesMax, issuedAtSecondsMax, keysCacheMs, keysCooldownMs, keysTimeoutMs } from './bounds.ts';
import { notSignedIn } from './refusal.ts';

/** What tokens are checked against. */
export type TokenRules = {
  readonly issuer: string;
  readonly audience: string;
  /** The secret of HS256, or where the public keys are of RS256 and ES256. */
  readonly keys:
    | { readonly kind: 'secret'; readonly secret: string }
    | { readonly kind: 'url'; readonly url: string }
    | { readonly kind: 'file'; readonly path: string };
  readonly clockSkewMs: number;
  readonly emailClaim: string;
  readonly nameClaim: string;
  readonly groupsClaim: string;
  /** The groups that matter; undefined: all that a token names. */
  readonly groups: readonly string[] | undefined;
};

/** What a token says of who presents it. */
export type TokenSays = {
  readonly email: string;
  readonly name: string;
  readonly groups: readonly string[];
  /** When it was issued, in milliseconds since 1970; absent: it does not say so. */
  readonly issuedAt?: number;
};

/** Checks a token. Throws DomainError `unauthenticated` that says why it is not taken, `unavailable` if nobody can tell now. */
export type CheckToken = (token: string) => Promise<TokenSays>;

const ofSecret = ['HS256'];
const ofPublicKey = ['RS256', 'ES256'];

/** @throws Error in one line for a file of keys that cannot be used. */
export function tokenCheck(rules: TokenRules, now: () => number): CheckToken {
  const { issuer, audience, clockSkewMs, keys } = rules;
  const key = keyOf(keys, now);
  const options = {
    ...{ issuer, audience, clockTolerance: clockSkewMs / 1_000 },
    algorithms: keys.kind === 'secret' ? ofSecret : ofPublicKey,
    requiredClaims: ['exp'],
  };
  return async (token) => {
    const currentDate = new Date(now());
    try {
      const verified = await jwtVerify(token, typeof key === 'function' ? key : () => key, { ...options, currentDate });
      insistOnIssued(verified.payload, currentDate.getTime() + clockSkewMs);
      return saidBy(verified.payload, rules);
    } catch (error) {
      throw refusalOf(error, rules);
    }
  };
}

function keyOf(keys: TokenRules['keys'], now: () => number): JWTVerifyGetKey | Uint8Array {
  switch (keys.kind) {
    case 'secret':
      return new TextEncoder().encode(keys.secret);
    case 'url':
      return createRemoteJWKSet(new URL(keys.url), {
        timeoutDuration: keysTimeoutMs,
        cooldownDuration: keysCooldownMs,
        cacheMaxAge: keysCacheMs,
      });
    case 'file':
      return keysIn(keys.path, now);
  }
}

/** The public keys of a file. @throws Error in one line for a file that cannot be used, which says what to do. */
export function keysOfFile(path: string): ReturnType<typeof createLocalJWKSet> {
  try {
    return createLocalJWKSet(JSON.parse(readFileSync(path, 'utf8')) as JSONWebKeySet);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `auth.jwt.keys_file: ${path} cannot be used (${why}); put the JSON Web Key Set of your issuer there: {"keys": […]}`,
    );
  }
}

/**
 * Read again for a key that it did not have, so that keys are replaced without a restart; but not more often than keys of an address:
 * anybody can send a token that names a key of nobody. And once in a while as well, so that a key that is taken out ends. A file that cannot
 * be used now, half written say, leaves the keys as they were.
 */
function keysIn(path: string, now: () => number): JWTVerifyGetKey {
  let known = keysOfFile(path);
  let readAt = now();
  let againFrom = Number.NEGATIVE_INFINITY;
  const readAgain = (): boolean => {
    readAt = now();
    try {
      known = keysOfFile(path);
      return true;
    } catch {
      return false;
    }
  };
  return async (header, token) => {
    if (now() - readAt >= keysCacheMs) readAgain();
    try {
      return await known(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      if (now() < againFrom) throw error;
      againFrom = now() + keysCooldownMs;
      if (!readAgain()) throw error;
      return known(header, token);
    }
  };
}

function saidBy(payload: JWTPayload, { emailClaim, nameClaim, groupsClaim, groups: known }: TokenRules): TokenSays {
  const { [emailClaim]: email, [nameClaim]: name, [groupsClaim]: named } = payload;
  if (typeof email !== 'string' || email.trim() === '')
    throw notSignedIn(`the token names nobody: it has no claim "${emailClaim}" with an e-mail address`);
  // Some issuers write it as a text. What is neither says nothing that can be relied on.
  if (![undefined, true, 'true'].includes(payload.email_verified as string | boolean | undefined))
    throw notSignedIn('the token was not taken: its issuer has not verified the e-mail address');
  const all = (Array.isArray(named) ? named : [named]).filter((group): group is string => typeof group === 'string');
  const groups = [...new Set(known === undefined ? all : all.filter((group) => known.includes(group)))].sort();
  if (groups.reduce((sum, group) => sum + Buffer.byteLength(group), 0) > groupsBytesMax)
    throw notSignedIn(
      `the token names more groups than fit into ${groupsBytesMax} bytes; list those that matter in auth.jwt.groups`,
    );
  const issuedAt = issuedAtIn(payload);
  return {
    ...{ email, name: typeof name === 'string' ? name : '', groups },
    ...(issuedAt === undefined ? {} : { issuedAt }),
  };
}

/** What a token of tomorrow says would count until tomorrow, whatever those say that are issued meanwhile. */
function insistOnIssued({ iat }: JWTPayload, latest: number): void {
  if (typeof iat !== 'number' || iat * 1_000 <= latest) return;
  throw notSignedIn(
    'the token was not taken: it says that it will be issued later (iat); the clocks of issuer and platform differ by more than auth.jwt.clock_skew',
  );
}

/** As far as dates go; whatever else stands there says nothing. */
function issuedAtIn({ iat }: JWTPayload): number | undefined {
  if (typeof iat !== 'number' || !(iat >= 0 && iat <= issuedAtSecondsMax)) return undefined;
  return Math.floor(iat * 1_000);
}

function refusalOf(error: unknown, { issuer, audience, keys }: TokenRules): unknown {
  if (error instanceof DomainError) return error;
  if (error instanceof errors.JWTExpired) return notSignedIn('the token has expired; sign in again');
  if (error instanceof errors.JWTClaimValidationFailed) {
    const wanted = { iss: `issuer must be ${issuer}`, aud: `audience must be ${audience}` }[error.claim];
    return notSignedIn(`the token was not taken: ${wanted ?? `its claim "${error.claim}" is missing or not right`}`);
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return notSignedIn(
      `the token was not taken: it must be signed with ${(keys.kind === 'secret' ? ofSecret : ofPublicKey).join(' or ')}`,
    );
  if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSNoMatchingKey)
    return notSignedIn('the token was not taken: its signature is of no key that is known here');
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return notSignedIn(
      'the token was not taken: it does not say which of the keys signed it (kid), and several may have',
    );
  if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError))
    return unavailable('the keys that tokens are signed with cannot be fetched now; try again', {}, { cause: error });
  if (error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC')
    return unavailable('the keys that tokens are signed with cannot be fetched now; try again', {}, { cause: error });
  return notSignedIn('the token was not taken: it is no JSON Web Token that can be read');
}
