import { failedPrecondition } from '@stopgo/core';
import { expect, test } from 'vitest';
import { gateway } from './support/gateway.ts';

const begins = { beginConnection: async () => ({ url: 'https://login.example/auth', expiresAt: { seconds: 0n } }) };

test.each([
  [{}, /^http:\/\/127\.0\.0\.1:\d+\/connections\/callback$/],
  [{ redirect_uri: 'http://127.0.0.1:5000/' }, 'http://127.0.0.1:5000/'],
  [{ redirect_uri: 'https://app.example/connections/callback' }, 'https://app.example/connections/callback'],
])('a browser is led back to where it belongs: %o', async (body, redirectUri) => {
  const { send, calls } = await gateway({ accounts: begins }, { allowedOrigins: ['https://app.example'] });
  expect((await send('POST', '/connections/notes', { body })).status).toBe(200);
  expect(calls.at(-1)?.request).toMatchObject({ server: 'notes', redirectUri: expect.stringMatching(redirectUri) });
});

test.each([
  ['https://elsewhere.example/connections/callback', 'of this platform'],
  ['https://app.example/other', 'of this platform'],
  ['http://app.example/connections/callback', 'of this platform'],
  ['http://somebody@127.0.0.1:5000/', 'without user name'],
  ['javascript:alert(1)', 'of this platform'],
  ['no address', 'must be an address'],
])('a browser is led nowhere else: %s', async (redirect_uri, why) => {
  const { send, calls } = await gateway({ accounts: begins }, { allowedOrigins: ['https://app.example'] });
  const { status, text } = await send('POST', '/connections/notes', { body: { redirect_uri } });
  expect([status, text]).toEqual([400, expect.stringContaining(why)]);
  expect(calls).toEqual([]);
});

test('the page of whoever comes back from another site says what became of it, with nothing in it that could act', async () => {
  const { send } = await gateway({
    accounts: {
      finishConnection: async ({ code }) => {
        if (code === 'good') return { server: 'notes<b>' };
        throw failedPrecondition('it was <i>not</i> allowed there');
      },
    },
  });
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  const good = await send('GET', '/connections/callback?code=good&state=s', { headers });
  expect([good.status, good.text]).toEqual([200, expect.stringContaining('notes&lt;b&gt; can be used')]);
  expect(good.headers['content-security-policy']).toContain("default-src 'none'");
  const bad = await send('GET', '/connections/callback?code=bad&state=s', { headers });
  expect([bad.status, bad.text]).toEqual([400, expect.stringContaining('was &lt;i&gt;not&lt;/i&gt; allowed')]);
  // Everything else is closed to other sites.
  expect((await send('POST', '/connections', { body: { state: 's' }, headers })).status).toBe(403);
});
