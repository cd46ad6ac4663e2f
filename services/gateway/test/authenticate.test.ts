import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { apiKeyText, userIdOf } from '@stopgo/core';
import { create, facts, type people, type store, views } from '@stopgo/proto';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { type AuthenticateParts, authenticator } from '../src/auth/authenticate.ts';
import { tokenCheck } from '../src/auth/tokens.ts';

const hour = 3_600_000;
const now = 1_000_000 * hour;
const secret = 'of thirty-two bytes, or of more than that';
const rules = {
  ...{ issuer: 'i', audience: 'a', clockSkewMs: 0, emailClaim: 'email', nameClaim: 'name', groupsClaim: 'groups' },
  ...{ groups: undefined, keys: { kind: 'secret', secret } as const },
};

/** What is noted of whoever signs in, where Ana signed in some time ago. */
function where(user: Partial<views.User>, more: Partial<AuthenticateParts> = {}, given = false) {
  const ana = create(views.UserSchema, {
    ...{ id: userIdOf('ana@x.example'), revision: 2, email: 'ana@x.example', name: 'Ana', active: true },
    ...{ role: facts.UserRole.USER, groups: ['finance'], ...user },
  });
  const apiKey = create(views.ApiKeySchema, { revision: 1, userId: ana.id, lastUsedAt: timestampFromMs(now), given });
  const noted: people.SignInRequest[] = [];
  const authenticate = authenticator({
    store: {
      getPerson: async ({ by }: store.GetPersonRequest) =>
        by.case === 'apiKeyId' ? { user: ana, apiKey } : { user: ana },
    } as never,
    people: {
      signIn: async (request: people.SignInRequest) => {
        noted.push(request);
        return { user: ana };
      },
    } as never,
    ...{ checkToken: tokenCheck(rules, () => now), mayCreate: true, keyGroupsForMs: 24 * hour, now: () => now },
    onNotNoted: () => undefined,
    ...more,
  });
  return { authenticate, noted };
}

const signed = (claims: Readonly<Record<string, unknown>>) =>
  new SignJWT({ iss: 'i', aud: 'a', email: 'ana@x.example', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret));

const none = { authorization: undefined, apiKey: undefined, toolAuthorization: undefined };
const ago = (hours: number) => timestampFromMs(now - hours * hour);

describe('the groups of an API key are those of the last sign-in, for a time', () => {
  test.each<[string, Partial<views.User>, number, readonly string[], boolean?]>([
    ['within it', { lastSignInAt: ago(23) }, 24, ['finance']],
    ['after it', { lastSignInAt: ago(24) }, 24, []],
    ['where they never count', { lastSignInAt: ago(0) }, 0, []],
    ['but not of a key that somebody else made', { lastSignInAt: ago(1) }, 24, [], true],
    ['of somebody whom no token has signed in', {}, 24, []],
  ])('%s', async (_, user, hours, groups, given) => {
    const { authenticate } = where(user, { keyGroupsForMs: hours * hour }, given);
    const { principal } = await authenticate({ ...none, apiKey: apiKeyText(new Uint8Array(32)) });
    expect(principal).toMatchObject({ kind: 'user', via: 'api_key', groups });
  });
});

describe('a token is noted with when it was issued, and not if a later one was', () => {
  const seconds = (hours: number) => (now - hours * hour) / 1_000;
  test.each<[string, number | string | undefined, { readonly issued: number | undefined } | undefined]>([
    ['a later one', seconds(1), { issued: now - hour }],
    ['the same', seconds(2), { issued: now - 2 * hour }],
    ['an earlier one', seconds(3), undefined],
    ['one that does not say', undefined, undefined],
  ])('%s', async (_, iat, expected) => {
    const { authenticate, noted } = where({ lastSignInAt: ago(2), groupsAsOf: ago(2) });
    const token = await signed({ groups: ['sales'], exp: seconds(-1), ...(iat === undefined ? {} : { iat }) });
    const { principal } = await authenticate({ ...none, authorization: `Bearer ${token}` });
    // What the token says counts for its own request in any case.
    expect(principal).toMatchObject({ via: 'token', groups: ['sales'] });
    expect(
      noted.map(({ tokenIssuedAt }) => ({ issued: tokenIssuedAt && Number(tokenIssuedAt.seconds) * 1_000 })),
    ).toEqual(expected === undefined ? [] : [expected]);
  });
});

test.each([
  ['now', 0, 0, true],
  ['later, by as much as clocks may differ', 30, 30_000, true],
  ['later than that', 31, 30_000, false],
  ['after all years', 1e300, 300_000, false],
])(
  'a token that was issued %s is taken, or not, and then nothing of it is noted',
  async (_, inSeconds, skew, taken) => {
    const checkToken = tokenCheck({ ...rules, clockSkewMs: skew }, () => now);
    const { authenticate, noted } = where({ lastSignInAt: ago(2), groupsAsOf: ago(2) }, { checkToken });
    const token = await signed({ groups: ['sales'], exp: now / 1_000 + 3_600, iat: now / 1_000 + inSeconds });
    const answer = authenticate({ ...none, authorization: `Bearer ${token}` });
    if (taken) await expect(answer).resolves.toMatchObject({ principal: { groups: ['sales'] } });
    else await expect(answer).rejects.toMatchObject({ kind: 'unauthenticated', message: /issued later \(iat\)/ });
    expect(noted).toHaveLength(taken ? 1 : 0);
  },
);
