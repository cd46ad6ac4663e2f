import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AppWithLogin, claimsOf, openApp } from './support/app-with-login.ts';
import { audience } from './support/identity-provider.ts';
import { TestBrowser } from './support/test-browser.ts';

/** People sign in with a real OpenID provider, and nothing that only looks like it gets past the server. */
let app: AppWithLogin;
let ada: TestBrowser;

beforeEach(async () => {
  app = await openApp();
  ada = new TestBrowser(app.url);
});
afterEach(() => app.close());

const state = (browser: TestBrowser, at?: string) => app.stateOf(browser, at);

describe('signing in', () => {
  test('leads back to where one was, and what is asked then goes to the gateway with a token of that person', async () => {
    expect(await state(ada)).toEqual({ login: 'Example', person: null, renew_in_ms: null });
    expect((await ada.ask('/api/me')).status).toBe(401);
    const { url, answer } = await ada.go('/login?to=%2Fapprovals%3Fstatus%3Dall');
    expect(url).toBe(`${app.url}/approvals?status=all`);
    const { person, ...rest } = await state(ada);
    if (person === null) throw new Error('nobody is signed in');
    expect(rest).toEqual({ login: 'Example', renew_in_ms: expect.any(Number) });
    expect(answer.text).toContain(person);
    expect((await ada.askAsPage('/api/approvals/x', person, { method: 'POST', body: '{}' })).status).toBe(200);
    expect(app.seen).toMatchObject([{ method: 'POST', url: '/approvals/x' }]);
    expect(claimsOf(app.seen[0]?.headers)).toMatchObject({
      aud: audience,
      iss: app.idp.issuer,
      email: 'ada@x.example',
    });
    expect(app.seen[0]?.headers).not.toHaveProperty('cookie');
    // Sealed for this browser, for no script, and for no request of another site.
    const own = ada.set.filter((line) => line.startsWith('stopgo-'));
    expect(own.filter((line) => !/; Max-Age=0;/.test(line))).toHaveLength(2);
    for (const line of own) expect(line).toMatch(/^stopgo-\d+-\S+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    const token = String(app.seen[0]?.headers.authorization).slice('Bearer '.length);
    for (const text of [answer.text, ...ada.set, ...app.logged]) expect(text).not.toContain(token);
    expect(decodeURIComponent(ada.set.join())).not.toContain('eyJ');
  });

  test('another person is another one, in a browser of their own', async () => {
    const ben = new TestBrowser(app.url);
    expect(await app.signIn(ada, 'ada')).not.toBe(await app.signIn(ben, 'ben'));
    await ben.ask('/api/me');
    expect(claimsOf(app.seen[0]?.headers)).toMatchObject({ email: 'ben@x.example' });
  });

  test('is done once: the same answer of the provider signs in nobody else, nor again', async () => {
    const { url } = await ada.go('/login', app.callback);
    const kept = new Map(ada.own);
    expect((await ada.ask(url.slice(app.url.length))).status).toBe(303);
    const again = await ada.ask(url.slice(app.url.length));
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('has been used already')]);
    // Somebody has copied the cookies of before: the provider takes no code twice.
    const thief = new TestBrowser(app.url);
    for (const [name, value] of kept) thief.own.set(name, value);
    expect((await thief.ask(url.slice(app.url.length))).status).toBe(400);
    expect((await state(thief)).person).toBeNull();
  });

  test.each([
    ['another state', (url: URL) => url.searchParams.set('state', `${url.searchParams.get('state')?.slice(0, 20)}x`)],
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
    ['no issuer', (url: URL) => url.searchParams.delete('iss')],
    ['another code', (url: URL) => url.searchParams.set('code', 'guessed')],
    ['two codes', (url: URL) => url.searchParams.append('code', 'another')],
  ])('fails with %s', async (_, change) => {
    const { url } = await ada.go('/login', app.callback);
    const changed = new URL(url);
    change(changed);
    const { status, text } = await ada.ask(`${changed.pathname}${changed.search}`);
    expect([status, text]).toEqual([400, expect.stringContaining('You are not signed in')]);
    expect((await state(ada)).person).toBeNull();
  });

  test('fails with the code that another browser was given: nobody is signed in as somebody else', async () => {
    const eve = new TestBrowser(app.url);
    app.idp.person = 'eve';
    const hers = new URL((await eve.go('/login', app.callback)).url);
    const mine = new URL((await ada.go('/login', app.callback)).url);
    mine.searchParams.set('code', hers.searchParams.get('code') ?? '');
    expect((await ada.ask(`${mine.pathname}${mine.search}`)).status).toBe(400);
    expect((await ada.ask(`${hers.pathname}${hers.search}`)).status).toBe(400);
    expect((await state(ada)).person).toBeNull();
  });

  test.each(['nonce', 'verifier', 'state'])('fails where the provider answers another %s', async (which) => {
    const { url } = await ada.go('/login', app.callback);
    const [name = '', value = ''] = [...ada.own][0] ?? [];
    const begun = app.cookies.open('login', value, Date.now()) as Record<string, string>;
    const changed = { ...begun, [which]: `${begun[which]?.slice(0, -2)}xx` };
    ada.own.set(name, app.cookies.seal('login', changed, Date.now() + 1e6));
    expect((await ada.ask(url.slice(app.url.length))).status).toBe(400);
    expect((await state(ada)).person).toBeNull();
  });

  test('that took too long, or that the provider refused, says so; no word of it is markup', async () => {
    const { url } = await ada.go('/login', app.callback);
    const refused = new URL(url);
    refused.searchParams.delete('code');
    refused.searchParams.set('error', 'access_denied');
    refused.searchParams.set('error_description', '<b>secret</b>');
    const { text } = await ada.ask(`${refused.pathname}${refused.search}`);
    expect(text).toContain('Example did not sign you in: it answered access_denied.');
    expect(text).not.toContain('secret');
    const late = await ada.go('/login', app.callback);
    app.ahead = 10 * 60_000 + 1;
    expect((await ada.ask(late.url.slice(app.url.length))).text).toContain('longer than 10 minutes');
  });

  test('waits for a provider that is away, and is there once that is', async () => {
    app.idp.fails = 503;
    const { status, text } = await ada.ask('/login?to=/approvals');
    expect([status, text]).toEqual([503, expect.stringContaining('Example does not answer')]);
    expect(text).toContain('/login?to=%2Fapprovals');
    app.idp.fails = undefined;
    expect(await app.signIn(ada, 'ada')).toEqual(expect.any(String));
  });

  test('is begun in several tabs at once, and not in too many', async () => {
    const first = await ada.go('/login', app.callback);
    const second = await ada.go('/login', app.callback);
    expect((await ada.ask(first.url.slice(app.url.length))).status, app.logged.join()).toBe(303);
    expect((await ada.ask(second.url.slice(app.url.length))).status).toBe(303);
    for (let count = 0; count < 8; count += 1) await ada.ask('/login');
    expect([...ada.own.keys()].filter((name) => name.includes('login')).length).toBeLessThanOrEqual(5);
  });

  test('begins at the public address, whichever one was gone to', async () => {
    const { status, headers } = await ada.ask('/login?to=%2Fapprovals', {
      headers: { host: `localhost:${new URL(app.url).port}` },
    });
    expect([status, headers.location]).toEqual([303, `${app.url}/login?to=%2Fapprovals`]);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  test.each([
    ...['https://evil.example', '//evil.example', '/\\evil.example', '/\t/evil.example', 'javascript:alert(1)'],
    ...['/..//evil.example', '/./\\/evil.example', '/login?to=/login', '/logout', '/api/conversations', 'x', ''],
    `/${'a'.repeat(2_000)}`,
  ])('leads to no other place: %j', async (to) => {
    expect((await ada.go(`/login?to=${encodeURIComponent(to)}`)).url).toBe(`${app.url}/`);
  });
});

describe('a session', () => {
  test('is nobody\u2019s once it was changed, is over, or was sealed for something else', async () => {
    await app.signIn(ada, 'ada');
    const [name = '', value = ''] = [...ada.own][0] ?? [];
    const personWith = async (other: string) => {
      ada.own.set(name, other);
      return (await state(ada)).person;
    };
    expect(await personWith(value)).not.toBeNull();
    const at = value.length >> 1;
    expect(await personWith(`${value.slice(0, at)}${value[at] === 'A' ? 'B' : 'A'}${value.slice(at + 1)}`)).toBeNull();
    expect(await personWith(value.slice(0, -1))).toBeNull();
    expect(await personWith(value.slice(2))).toBeNull();
    const session = app.cookies.open('session', value.slice(2), Date.now());
    for (const [purpose, until, isTaken] of [
      ['session', Date.now() + 1e6, true],
      ['session', Date.now() - 1, false],
      ['login', Date.now() + 1e6, false],
      ['leaving', Date.now() + 1e6, false],
    ] as const) {
      const person = await personWith(`1.${app.cookies.seal(purpose, session, until)}`);
      expect([purpose, until, person !== null]).toEqual([purpose, until, isTaken]);
    }
    expect(await personWith(value)).not.toBeNull();
    app.ahead = 12 * 3_600_000 + 1;
    expect(await personWith(value)).toBeNull();
  });

  test('is taken by every replica, and by one with a new key while the old one is there beside it', async () => {
    await app.signIn(ada, 'ada');
    const otherKey = randomBytes(32).toString('hex');
    const at = async (keys: string) => (await state(ada, await app.start(keys))).person !== null;
    expect(await at(app.key)).toBe(true);
    expect(await at(`${otherKey} ${app.key}`)).toBe(true);
    expect(await at(otherKey)).toBe(false);
    // What is sealed from then on is sealed with the new one.
    const fresh = new TestBrowser(app.url);
    await app.restart(`${otherKey} ${app.key}`);
    await app.signIn(fresh, 'ben');
    expect((await state(fresh, await app.start(otherKey))).person).not.toBeNull();
    expect((await state(fresh, await app.start(app.key))).person).toBeNull();
  });

  test('of long tokens is kept in several cookies, and what browsers do not keep is refused in words', async () => {
    app.idp.more = { groups: 'g'.repeat(4_000) };
    await app.signIn(ada, 'ada');
    expect(ada.own.size).toBe(3);
    for (const value of ada.own.values()) expect(value.length).toBeLessThan(4_000);
    await ada.ask('/api/me');
    expect(claimsOf(app.seen[0]?.headers)).toMatchObject({ groups: app.idp.more.groups });
    const [first = ''] = ada.own.keys();
    const whole = new Map(ada.own);
    for (const name of whole.keys()) {
      ada.own.delete(name);
      expect((await state(ada)).person).toBeNull();
      for (const [each, value] of whole) ada.own.set(each, value);
    }
    // A shorter one leaves nothing of the longer one behind.
    app.idp.more = {};
    await app.signIn(ada, 'ada');
    expect([...ada.own.keys()]).toEqual([first]);
    app.idp.more = { groups: 'g'.repeat(20_000) };
    const { answer } = await new TestBrowser(app.url).go('/login');
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining('does not fit into the cookies')]);
  });

  test('is never mixed with credentials that a request brings', async () => {
    const person = await app.signIn(ada, 'ada');
    for (const own of [{ 'x-api-key': 'sgo_1' }, { authorization: 'Bearer sgo_2' }, { 'x-api-key': '' }])
      await ada.askAsPage('/api/conversations', person, { method: 'POST', headers: own as never, body: '{}' });
    expect(app.seen.map(({ headers }) => [headers.authorization, headers['x-api-key']])).toEqual([
      [undefined, 'sgo_1'],
      ['Bearer sgo_2', undefined],
      [undefined, ''],
    ]);
  });
});
