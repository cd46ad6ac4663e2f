import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loginOf, parseWebConfig } from '@stopgo/web';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../free-ports.ts';
import { axeFindings, describeInBrowser, openSite, type Site } from './browser.ts';
import { type IdentityProvider, startIdentityProvider } from './identity-provider.ts';

describeInBrowser('signing in with an identity provider', () => {
  let site: Site;
  let idp: IdentityProvider;
  /** A page of somebody else, on the same machine: cookies of one port are sent to the others. */
  let foreign: Server;
  const foreignUrl = (host: string) => `http://${host}:${(foreign.address() as AddressInfo).port}`;

  beforeAll(async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    // Short enough that everything below outlives a token.
    idp = await startIdentityProvider(url, 20);
    foreign = createServer((_, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<title>x</title>'));
    await once(foreign.listen(0, '127.0.0.1'), 'listening');
    const text = `agent_url: http://replaced\nhost: 127.0.0.1\nport: ${port}\nlogin:${idp.login}`;
    const config = parseWebConfig(text, 'web.yaml');
    if (config.login === undefined) throw new Error('there is no login');
    site = await openSite({
      more: `auth:\n  new_users: first_login\n  jwt: ${idp.jwt}\n`,
      web: { config, login: loginOf(config.login, { SESSION_KEY: randomBytes(32).toString('hex') }) },
      leadsTo: [idp.issuer, foreignUrl('127.0.0.1'), foreignUrl('localhost')],
    });
  });
  afterAll(async () => {
    await site?.close();
    await idp?.stop();
    foreign?.close();
  });

  const button = (page: Page) => page.getByRole('button', { name: 'Sign in with Example' });

  async function signIn(page: Page, account: string): Promise<void> {
    await button(page).click();
    await page.getByLabel('Name').fill(account);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  }

  /** Has a conversation begun that waits for a decision; gives the approval. */
  async function beginAndWait(page: Page, name: string): Promise<string> {
    await page.getByRole('textbox', { name: 'Message' }).fill(`create a server ${name} with value 1`);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Approve' }).first().waitFor();
    const { approvals } = await asked<{ approvals: { uuid: string }[] }>(page, '/approvals?status=pending');
    return approvals[0]?.uuid ?? '';
  }

  /** What the platform answers to whoever is signed in there. */
  const asked = <Answer>(page: Page, path: string): Promise<Answer> =>
    page.evaluate(`fetch('/api${path}').then((answer) => answer.json())`) as Promise<Answer>;

  async function tab(context: BrowserContext, path: string): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${site.url}${path}`);
    return page;
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await button(page).waitFor();
  }

  test('a person signs in, decides as who they are, signs out, and leaves nothing to the next one', async () => {
    const page = await site.open('/approvals?status=all');
    await button(page).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await signIn(page, 'ana');
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/approvals?status=all');
    await page.goto(`${site.url}/`);
    const uuid = await beginAndWait(page, 'signed');
    await page.getByRole('button', { name: 'Approve' }).first().click();
    await expect
      .poll(async () => (await asked<{ approval: object }>(page, `/approvals/${uuid}`)).approval)
      .toMatchObject({ status: 'approved', decided_by_identity: { name: 'ana@x.example', claimed: false } });
    // No script of the page has what would let it act elsewhere.
    const known = String(
      await page.evaluate('JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])'),
    );
    expect(known).not.toMatch(/eyJ|stopgo-\d+-session/);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByText('You are signed in as ana (ana@x.example).').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');

    await page.getByRole('textbox', { name: 'Message' }).fill('of Ana alone');
    const address = page.url();
    const other = await tab(page.context(), '/');
    await other.getByRole('textbox', { name: 'Message' }).fill('of Ana, too');
    await signOut(page);
    // The other tab is signed out as well, and both have forgotten what was written.
    await button(other).waitFor();
    for (const one of [page, other]) expect(await drafts(one)).toEqual([]);
    await page.goto(address);
    await signIn(page, 'ben');
    await page
      .getByText(/no such conversation|is not there|not found|no conversation/i)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByText('You are signed in as ben (ben@x.example).').waitFor();
    await page.context().close();
  });

  test('a session that is lost leads to the sign-in and back to where one was, with every draft', async () => {
    const page = await site.open('/');
    await signIn(page, 'cleo');
    await beginAndWait(page, 'kept');
    const address = page.url();
    await page.getByRole('textbox', { name: 'Message' }).fill('half a thought');
    await page.context().clearCookies({ name: /^stopgo-/ });
    await page.getByRole('button', { name: 'Approve' }).first().click();
    // The provider knows her still, and asks nothing.
    await button(page).click();
    await page.waitForURL(address);
    await expect.poll(() => page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('half a thought');
    await page.getByRole('button', { name: 'Approve' }).first().waitFor();
    await page.context().close();
  });

  test('a tab of who was there before decides nothing as who has signed in since', async () => {
    const page = await site.open('/');
    await signIn(page, 'dan');
    const uuid = await beginAndWait(page, 'dans');
    const kept = await page.context().cookies();
    // What it asks for by itself would show it that somebody else has signed in.
    await page.route('**/api/**', (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()));
    await page.context().clearCookies();
    const other = await tab(page.context(), '/');
    await signIn(other, 'eva');
    await page.getByRole('button', { name: 'Approve' }).first().click();
    await page.waitForEvent('load');
    await page.context().clearCookies();
    await page.context().addCookies(kept);
    await page.unroute('**/api/**');
    await page.goto(`${site.url}/approvals/${uuid}`);
    expect((await asked<{ approval: { status: string } }>(page, `/approvals/${uuid}`)).approval.status).toBe('pending');
    await page.context().close();
  });

  test('no other page decides in the name of who is signed in, by a form or by a script', async () => {
    const page = await site.open('/');
    await signIn(page, 'fay');
    const uuid = await beginAndWait(page, 'fays');
    const target = `${site.url}/api/approvals/${uuid}`;
    // Of the same machine, to whose ports the browser sends the cookie, and of another site.
    for (const host of ['127.0.0.1', 'localhost']) {
      const evil = await page.context().newPage();
      await evil.goto(foreignUrl(host));
      await evil.evaluate(
        `fetch(${JSON.stringify(target)}, { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"action":"approve"}' }).catch(() => undefined)`,
      );
      const answered = evil.waitForResponse(target);
      await evil.evaluate(`{
        const form = document.createElement('form');
        Object.assign(form, { method: 'post', enctype: 'text/plain', action: ${JSON.stringify(target)} });
        form.innerHTML = '<input name=\\'{"action":"approve","x":"\\' value=\\'"}\\'>';
        document.body.append(form);
        form.submit();
      }`);
      expect([host, (await answered).status()]).toEqual([host, 403]);
      const withCookie = (await (await answered).request().allHeaders()).cookie?.includes('-session') ?? false;
      expect([host, withCookie]).toEqual([host, host === '127.0.0.1']);
    }
    expect((await asked<{ approval: { status: string } }>(page, `/approvals/${uuid}`)).approval.status).toBe('pending');
    await page.context().close();
  });

  test('a page goes on beyond the end of its token: it is renewed, and streams are opened again with the new one', async () => {
    const page = await site.open('/');
    await signIn(page, 'gus');
    const before = idp.renewals();
    const opened = () =>
      page.evaluate(
        `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/approvals/events')).length`,
      );
    await expect.poll(() => idp.renewals(), { timeout: 120_000 }).toBeGreaterThan(before + 1);
    // The gateway has ended the one that was opened with the first token: it is listed once it is over.
    await expect.poll(opened, { timeout: 120_000 }).toBeGreaterThan(0);
    const uuid = await beginAndWait(page, 'later');
    await page.getByRole('link', { name: /Approvals/ }).click();
    await page.locator('.approval-row').first().waitFor();
    expect(uuid).not.toBe('');
    expect(await button(page).count()).toBe(0);
    await page.context().close();
  });
});

const drafts = (page: Page): Promise<string[]> =>
  page.evaluate(`Object.keys(sessionStorage).filter((name) => /^stopgo\\.(draft|try)\\./.test(name))`);
