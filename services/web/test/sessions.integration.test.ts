import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AppWithLogin, claimsOf, openApp } from './support/app-with-login.ts';
import { tokenSeconds } from './support/identity-provider.ts';
import { TestBrowser } from './support/test-browser.ts';

/** What becomes of a session: it is renewed, ends, and decides for nobody who has not come from a page of the app. */
let app: AppWithLogin;
let ada: TestBrowser;
let person: string;

beforeEach(async () => {
  app = await openApp();
  ada = new TestBrowser(app.url);
  person = await app.signIn(ada, 'ada');
});
afterEach(() => app.close());

const decide = { method: 'POST', body: '{"action":"approve"}' };
const renew = (browser = ada, at?: string) => browser.askAsPage('/login/renew', person, { method: 'POST' }, at);
const renewals = () => app.idp.grants.filter((grant) => grant === 'refresh_token').length;
/** Cookies as they are now, for a browser that has missed an answer. */
const asNow = (browser: TestBrowser) => {
  const other = new TestBrowser(app.url);
  for (const [name, value] of browser.own) other.own.set(name, value);
  return other;
};

describe('a token that ends', () => {
  test('is renewed a minute before, and is told to be due once it has ended', async () => {
    expect((await app.stateOf(ada)).renew_in_ms).toBeGreaterThan(0);
    expect((await renew()).status).toBe(200);
    expect(renewals()).toBe(0);
    app.ahead = (tokenSeconds - 59) * 1_000;
    expect((await app.stateOf(ada)).renew_in_ms).toBe(0);
    app.ahead = (tokenSeconds + 1) * 1_000;
    const late = await ada.askAsPage('/api/approvals/x', person, decide);
    expect([late.status, JSON.parse(late.text).session, app.seen]).toEqual([401, 'due', []]);
    await ada.ask('/api/me');
    const { status, text } = await renew();
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { login: 'Example', person, renew_in_ms: expect.toSatisfy((ms: number) => ms > 200_000) },
    ]);
    expect((await ada.askAsPage('/api/approvals/x', person, decide)).status).toBe(200);
    expect(claimsOf(app.seen[0]?.headers)).toMatchObject({ email: 'ada@x.example' });
    expect(renewals()).toBe(1);
  });

  test('is renewed once, however many tabs ask at once, and for one who has missed the answer', async () => {
    const late = asNow(ada);
    app.ahead = (tokenSeconds + 1) * 1_000;
    // The provider ends a sign-in whose refresh token comes twice.
    const all = await Promise.all(Array.from({ length: 5 }, () => renew(asNow(ada))));
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await renew(late)).status).toBe(200);
    expect(renewals()).toBe(1);
    // And on with what came of it.
    app.ahead *= 2;
    expect((await renew(late)).status).toBe(200);
    expect(renewals()).toBe(2);
  });

  test('is renewed by two replicas at once: who comes second is not signed out before the token of the first has ended', async () => {
    const other = await app.start();
    const second = asNow(ada);
    app.ahead = (tokenSeconds + 1) * 1_000;
    expect((await renew(ada)).status).toBe(200);
    const refused = await renew(second, other);
    expect([refused.status, JSON.parse(refused.text).session]).toEqual([401, 'ended']);
    // Nothing that it says takes from the browser what the first has given.
    expect(refused.headers).not.toHaveProperty('set-cookie');
    expect((await ada.askAsPage('/api/approvals/x', person, decide)).status).toBe(200);
  });

  test('of whom the provider refuses it is over; while it is away nobody is signed out', async () => {
    app.ahead = (tokenSeconds - 30) * 1_000;
    app.idp.fails = 503;
    const away = await renew();
    expect([away.status, away.text]).toEqual([503, expect.stringContaining('does not answer')]);
    expect((await ada.ask('/api/me')).status).toBe(200);
    app.idp.fails = 400;
    const refused = await renew();
    expect([refused.status, JSON.parse(refused.text).session]).toEqual([401, 'ended']);
    app.idp.fails = undefined;
    expect((await renew()).status).toBe(200);
    for (const text of app.logged) expect(text).not.toContain('eyJ');
  });

  test('is not renewed beyond the end of the session: then one signs in again', async () => {
    await app.restart(app.key, '  session_for: 6m');
    person = await app.signIn(ada, 'ada');
    const kept = asNow(ada);
    app.ahead = (tokenSeconds + 1) * 1_000;
    expect((await renew()).status).toBe(200);
    expect((await app.stateOf(ada)).renew_in_ms).toBeNull();
    app.ahead = 6 * 60_000 + 1_000;
    for (const browser of [ada, kept]) {
      expect((await app.stateOf(browser)).person).toBeNull();
      expect((await renew(browser)).status).toBe(401);
      expect((await browser.ask('/api/me')).status).toBe(401);
    }
  });
});

test('an ID token goes to the gateway where the configuration says so', async () => {
  await app.restart(app.key, '  token: id_token');
  person = await app.signIn(ada, 'ada');
  await ada.ask('/api/me');
  expect(claimsOf(app.seen[0]?.headers)).toMatchObject({ aud: 'stopgo-web', sub: 'ada' });
});

describe('signing out', () => {
  test('ends the session here and at the provider, and shows no token to any script', async () => {
    const out = await ada.askAsPage('/logout', person, { method: 'POST' });
    expect([out.status, JSON.parse(out.text)]).toEqual([200, { to: '/logout' }]);
    expect((await app.stateOf(ada)).person).toBeNull();
    const { headers } = await ada.ask('/logout');
    const to = new URL(headers.location ?? '');
    expect(`${to.origin}${to.pathname}`).toBe(`${app.idp.issuer}/session/end`);
    expect(to.searchParams.get('post_logout_redirect_uri')).toBe(`${app.url}/`);
    expect(claimsOf({ authorization: to.searchParams.get('id_token_hint') ?? '' })).toMatchObject({ sub: 'ada' });
    expect(ada.own.size).toBe(0);
    await expect.poll(() => app.idp.asked.filter((line) => line.includes('/revocation'))).toHaveLength(1);
  });

  test('ends it here while the provider is away, and the refresh token is good for nothing once it was told', async () => {
    const kept = asNow(ada);
    const out = await ada.askAsPage('/logout', person, { method: 'POST' });
    expect(out.status).toBe(200);
    await expect.poll(() => app.idp.asked.filter((line) => line.includes('/revocation'))).toHaveLength(1);
    app.ahead = (tokenSeconds + 1) * 1_000;
    expect((await renew(kept)).status).toBe(401);
    await app.restart();
    const ben = new TestBrowser(app.url);
    person = await app.signIn(ben, 'ben');
    await app.restart();
    app.idp.fails = 503;
    expect((await ben.askAsPage('/logout', person, { method: 'POST' })).status).toBe(200);
    expect((await ben.ask('/logout')).headers.location).toBe('/');
    expect((await app.stateOf(ben)).person).toBeNull();
  });

  test('takes a page of the app: an address alone signs nobody out', async () => {
    expect((await ada.ask('/logout')).headers.location).toBe('/');
    for (const headers of [{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await ada.ask('/logout', { method: 'POST', headers: headers as never })).status).toBe(403);
    expect((await app.stateOf(ada)).person).toBe(person);
  });
});

describe('what changes something', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  test.each<readonly [string, Record<string, string>, number]>([
    ['a form of another site', { ...form, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    ['a form of an old browser on another site', { ...form, origin: 'https://evil.example' }, 403],
    ['a form in a frame without an origin', { ...form, origin: 'null', 'sec-fetch-site': 'cross-site' }, 403],
    ['a form of a site beside it', { ...form, origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }, 403],
    ['a script of a site beside it', { 'sec-fetch-site': 'same-site' }, 403],
    ['a page of the same host over another scheme', { origin: 'https:own' }, 403],
    [
      'a page that names our origin, and is of another one for the browser',
      { origin: 'own', 'sec-fetch-site': 'same-site' },
      403,
    ],
    ['something that does not say where it comes from', {}, 403],
    ['a page of the app that does not say whose it is', { 'sec-fetch-site': 'same-origin', 'x-signed-in-as': '' }, 401],
    ['a page that shows what somebody else was shown', { 'x-signed-in-as': 'f'.repeat(24), origin: 'own' }, 401],
    ['nothing but an origin', { origin: 'own', 'x-signed-in-as': 'own' }, 200],
  ])(
    'is refused in the name of whoever is signed in, unless it comes from their page: %s',
    async (_, given, status) => {
      const own = { own: app.url, 'https:own': app.url.replace('http:', 'https:') };
      const headers = Object.fromEntries(
        Object.entries({ 'x-signed-in-as': 'own', ...given }).map(([name, value]) => [
          name,
          name === 'x-signed-in-as' && value === 'own' ? person : (own[value as keyof typeof own] ?? value),
        ]),
      );
      for (const path of ['/api/approvals/x', '/api/approve'])
        expect([
          path,
          (await ada.ask(path, { method: 'POST', headers, body: '{"uuid":"x","approved":true}' })).status,
        ]).toEqual([path, status]);
      expect(app.seen).toHaveLength(status === 200 ? 2 : 0);
    },
  );

  test('needs to say whose page it is, wherever it comes from', async () => {
    const headers = { origin: app.url, 'sec-fetch-site': 'same-origin' };
    expect((await ada.ask('/api/approvals/x', { ...decide, headers })).status).toBe(403);
    expect(
      (await ada.ask('/login/renew', { method: 'POST', headers: { origin: 'https://evil.example' } })).status,
    ).toBe(403);
    expect(app.seen).toEqual([]);
  });

  test('done in a tab of who was there before is refused, and so is looking', async () => {
    const before = person;
    person = await app.signIn(asNow(ada), 'ada');
    app.idp.person = 'ben';
    ada.cookies.clear();
    await app.signIn(ada, 'ben');
    for (const sent of [decide, {}]) {
      const { status, text } = await ada.askAsPage('/api/approvals/x', before, sent);
      expect([status, JSON.parse(text).session]).toEqual([401, 'other']);
    }
    expect(app.seen).toEqual([]);
  });
});
