import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountServer, accountServer } from '../account-server.ts';
import type { Workplace } from '../e2e/platform.ts';
import { describeInBrowser, findings, openSite, type Site, say, script } from './browser.ts';

describeInBrowser('accounts at tool servers', () => {
  let notes: AccountServer;
  let site: Site;
  beforeAll(async () => {
    notes = await accountServer();
    const config = (place: Workplace) => `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(place.dataDir)}
mcp_servers: [{ name: notes, url: ${JSON.stringify(notes.url)}, auth: oauth }]
`;
    site = await openSite({ config, leadsTo: [new URL(notes.issuer).origin] });
  }, 120_000);
  afterAll(async () => {
    await site?.close();
    await notes?.stop();
  });

  test('the conversation that waits for one leads there, goes on once it is connected, and asks again once it is not', async () => {
    await script(site, { match: 'use write', calls: [{ name: 'write' }] });
    const { id } = await say(site, 'use write');
    const page = await site.open(`/c/${id}`);
    await page.getByText('waits for a login').waitFor();
    await page.getByRole('link', { name: 'Connect your account' }).click();
    const card = page.getByRole('article', { name: 'Account at notes' });
    await card.getByText('Not connected.').waitFor();
    expect(await findings(page)).toEqual([]);

    // Where the browser is led, its user agrees; then it is led back.
    await page.route(`${notes.issuer}/**`, (route) => route.fulfill({ contentType: 'text/html', body: 'Log in' }));
    await card.getByRole('button', { name: 'Connect your account' }).click();
    await page.getByText('Log in', { exact: true }).waitFor();
    const back = await notes.agree(page.url());
    expect(new URL(back).origin).toBe(new URL(site.url).origin);
    await script(site, { text: 'The note is written.' });
    await page.goto(back);
    await page.getByRole('heading', { name: 'Your account is connected' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.goto(`${site.url}/c/${id}`);
    await page.getByText('The note is written.').waitFor();
    expect(notes.calls).toEqual([{ tool: 'write', account: 'ann' }]);

    // What came back works once.
    await page.goto(back);
    await page.getByRole('heading', { name: 'Your account is not connected' }).waitFor();
    await page.getByText(/has been used already/).waitFor();

    await page.goto(`${site.url}/accounts`);
    await card.getByText(/^Connected/).waitFor();
    expect(await findings(page)).toEqual([]);
    await card.getByRole('button', { name: 'Disconnect your account at notes' }).click();
    await card.getByRole('button', { name: 'Yes, disconnect it' }).click();
    await card.getByText('Not connected.').waitFor();
    expect(notes.revocations()).toBe(1);
  });
});
