import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { journalFile, resourcesConfig, root, type Workplace } from '../e2e/platform.ts';
import { describeInBrowser, findings, openSite, type Site, say, script } from './browser.ts';

/** The journaled tool server, from a file of its own, which can be taken away. */
const serverFile = (place: Workplace): string => join(place.folder, 'server.mjs');

function config(place: Workplace): string {
  copyFileSync(join(root, 'tests/e2e/fixtures/tools.mjs'), serverFile(place));
  const args = JSON.stringify([serverFile(place), journalFile(place)]);
  return resourcesConfig(place).replace(
    'mcp_servers:',
    `mcp_servers:\n  - name: journaled\n    command: node\n    args: ${args}`,
  );
}

/** The process of the journaled tool server that was started last. */
function lastStarted(place: Workplace): number {
  const lines = readFileSync(journalFile(place), 'utf8').trim().split('\n');
  const started = lines.map((line) => JSON.parse(line) as { started?: number }).filter((one) => one.started);
  return started.at(-1)?.started ?? 0;
}

/** Has the journaled tool server describe one of its tools anew. */
async function redefine(site: Site, args: object): Promise<void> {
  await script(site, { calls: [{ name: 'redefine', args: args as Record<string, never> }] });
  await say(site, 'redefine');
}

const panelOf = (page: Page, name: string) =>
  page.locator('.panel').filter({ has: page.getByRole('heading', { name, exact: true }) });

describeInBrowser('operations in the browser', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ config });
  });
  afterAll(() => site?.close());

  test('a tool server that is killed is shown as out of reach, as an alarm, and as ready again, without a reload', async () => {
    const page = await site.open('/operations');
    const server = panelOf(page, 'journaled');
    await server.getByText('Ready', { exact: true }).waitFor();
    await page.getByText('No alarm.').waitFor();
    await page.evaluate('window.__same = true');
    renameSync(serverFile(site.place), `${serverFile(site.place)}.away`);
    process.kill(lastStarted(site.place), 'SIGKILL');
    await server.getByText('Out of reach', { exact: true }).waitFor();
    await server.getByText(/Tried again in \d+ s/).waitFor();
    const alarm = page.getByRole('article').filter({ hasText: 'MCP server "journaled" lost: ' });
    await alarm.getByText('A tool server ended, timed out or closed the connection').waitFor();
    await alarm.getByText('Look at the server; it is started or reached again.').waitFor();
    await page.locator('.tile.bad').getByText('1 of 2 ready').waitFor();
    renameSync(`${serverFile(site.place)}.away`, serverFile(site.place));
    await server.getByText('Ready', { exact: true }).waitFor();
    expect(await server.getByText(/connected again once/).count()).toBe(1);
    expect(await page.evaluate('window.__same')).toBe(true);
  });

  test('a tool that is not what was accepted is held: its differences are shown, it is accepted, and the call that waits goes on', async () => {
    await script(site, { calls: [{ name: 'erase', args: { name: 'kept waiting' } }] });
    const { approval } = await say(site, 'erase it');
    await redefine(site, { name: 'a n\u043ete, and <img src=x onerror="window.__ran=1">' });
    const page = await site.open('/operations');
    await page.getByRole('link', { name: 'Tools 1 to accept' }).click();
    const held = page.getByRole('article', { name: 'erase of journaled' });
    await held.getByText('Changed since it was accepted').waitFor();
    expect(await held.locator('.part h4').allTextContents()).toEqual(['Description']);
    expect(await held.locator('.diff-line.gone').textContent()).toBe('− gone: Erases a note\n');
    expect(await held.locator('.diff-line.new').textContent()).toBe(
      '+ new: Erases a nо (U+043E, looks like another letter)te, and <img src=x onerror="window.__ran=1">\n',
    );
    await held.getByRole('button', { name: 'Accept erase of journaled' }).click();
    expect(await heldNames(site)).toEqual(['erase']);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Accepted: erase of journaled.').waitFor();
    await page.getByText('No tool waits.').waitFor();
    expect(await heldNames(site)).toEqual([]);
    expect(await page.evaluate('window.__ran')).toBeUndefined();
    // The tool is another one than whoever was asked had seen: it is asked once more, and then runs.
    const again = await approve(site, approval);
    expect(again.result.approval?.reason).toContain('the definition of erase changed');
    await approve(site, again.result.approval?.uuid);
    await expect.poll(() => readFileSync(journalFile(site.place), 'utf8')).toContain('"kept waiting"');
  });

  test('names that servers make up stay text', async () => {
    const name = '<img src=x onerror="window.__ran=2">';
    await redefine(site, { tool: name, description: '**bold** <script>window.__ran=3</script>', name: 'x' });
    await redefine(site, {
      tool: 'fine',
      description: '<script>window.__ran=3</script> [go](javascript:window.__ran=4)',
    });
    const page = await site.open('/operations/tools');
    await page.getByRole('article', { name: 'fine of journaled' }).waitFor();
    expect(await page.locator('.operations :is(img, script, iframe)').count()).toBe(0);
    expect(await page.evaluate('window.__ran')).toBeUndefined();
  });

  test('axe finds nothing in light, in dark and on a phone', async () => {
    const shown = async (path: string, arrived: (page: Page) => Promise<unknown>) => {
      const page = await site.open(path);
      await arrived(page);
      expect(await findings(page), path).toEqual([]);
      await page.context().close();
    };
    await shown('/operations', (page) => page.getByText('connected again').waitFor());
    await shown('/operations/tools', async (page) => {
      await page.getByRole('button', { name: 'Accept fine of journaled' }).click();
      await page.getByRole('button', { name: 'Yes, accept it' }).waitFor();
      await page.locator('details.tool summary').first().click();
    });
    await shown('/operations/standing', (page) => page.getByText('None stands').waitFor());
    await shown('/operations/people', (page) => page.getByText('Nobody signs in').waitFor());
  });
});

describeInBrowser('users and keys in the browser', () => {
  let site: Site;
  /** The text of the key of the super administrator. */
  let boss: string;
  beforeAll(async () => {
    site = await openSite({ more: 'auth: {}' });
    const headers = { 'X-API-Key': readFileSync(join(site.place.dataDir, 'setup-key'), 'utf8').trim() };
    const body = JSON.stringify({ email: 'ana@example.com', name: 'Ana' });
    const made = await fetch(`${site.platform.url}/users`, { method: 'POST', headers, body });
    boss = ((await made.json()) as { key: { text: string } }).key.text;
  });
  afterAll(() => site?.close());

  async function signedIn(key: string, path: string): Promise<Page> {
    const page = await site.open(path);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    return page;
  }

  test('somebody signs in with a key, is refused with a wrong one, and signs out', async () => {
    const page = await site.open('/approvals');
    await page.getByLabel('API key').fill(`sgo_${'x'.repeat(43)}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('there is no such key').waitFor();
    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0);
    await page.getByLabel('API key').fill(boss);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Approvals' }).waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Who are you?' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Who are you?' }).waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('sgo_');
  });

  test('a user is made, is given a key to begin with, and makes their own; nobody is locked out without having been told', async () => {
    const page = await signedIn(boss, '/operations/people');
    await page.getByRole('button', { name: 'New user' }).click();
    const dialog = page.getByRole('dialog', { name: 'New user' });
    await dialog.getByLabel('E-mail address').fill('no address');
    await dialog.getByLabel('Name').fill('Bob');
    await dialog.getByRole('button', { name: 'Create the user' }).click();
    const email = dialog.getByLabel('E-mail address');
    await dialog.getByText(/must be an e-mail address/).waitFor();
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    await email.fill('bob@example.com');
    await dialog.getByRole('button', { name: 'Create the user' }).click();
    await page.getByRole('heading', { name: 'Bob' }).waitFor();
    const bobPath = new URL(page.url()).pathname;

    const first = await madeKey(page, 'New key to begin with', 'to begin with');
    const bob = await signedIn(first, bobPath);
    await bob.getByRole('heading', { name: 'Bob' }).waitFor();
    // What a user may not do is not offered.
    expect(await bob.getByRole('button', { name: /Switch off|Save/ }).count()).toBe(0);
    await bob.getByRole('link', { name: 'Overview' }).click();
    await bob.getByText('Administrators see the alarms of the platform here.').waitFor();
    await bob.getByRole('link', { name: 'People and keys' }).click();
    await bob.getByRole('heading', { name: 'Bob' }).waitFor();
    expect(await bob.getByRole('link', { name: 'All people' }).count()).toBe(0);
    const own = await madeKey(bob, 'New key', 'laptop', 'Look at things');
    expect(own).toMatch(/^sgo_/);
    expect(await (await fetch(`${site.platform.url}/me`, { headers: { 'X-API-Key': own } })).json()).toMatchObject({
      scopes: ['read'],
    });
    await bob
      .getByRole('article', { name: 'Key laptop' })
      .getByText(/may only: look at things/)
      .waitFor();
    await bob.getByRole('button', { name: 'Revoke the key to begin with' }).click();
    await bob.getByText('You are signed in with this key: you will be signed out.').waitFor();
    expect((await asWho(first)).status).toBe(200);
    await bob.getByRole('button', { name: 'Yes, and sign me out' }).click();
    await bob.getByRole('heading', { name: 'Who are you?' }).waitFor();
    expect((await asWho(first)).status).toBe(401);

    await page.goto(`${site.url}${bobPath}`);
    await page.getByRole('radio', { name: /^Administrator/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.facts').getByText('Administrator', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Switch off bob@example.com' }).click();
    await page.getByRole('button', { name: 'Yes, switch them off' }).click();
    await page.getByRole('button', { name: 'Let back in bob@example.com' }).waitFor();
    expect((await asWho(own)).status).toBe(401);

    await page.getByRole('link', { name: 'All people' }).click();
    await page.getByRole('link', { name: /Ana/ }).click();
    await page.getByText('Nobody changes their own role or switches themselves off').waitFor();
    expect(await page.getByRole('button', { name: /Switch off/ }).count()).toBe(0);
  });

  test('axe finds nothing in light, in dark and on a phone', async () => {
    const page = await signedIn(boss, '/operations/people');
    const bob = await page.getByRole('link', { name: /Bob/ }).getAttribute('href');
    await page.context().close();
    for (const path of ['/operations/people', bob ?? '']) {
      const looked = await site.open('/');
      await looked.evaluate(`sessionStorage.setItem('stopgo.api-key', '${boss}')`);
      await looked.goto(`${site.url}${path}`);
      await looked.getByText('Bob', { exact: true }).first().waitFor();
      if (path === bob) await looked.getByRole('article', { name: 'Key laptop' }).waitFor();
      expect(await findings(looked), path).toEqual([]);
      await looked.context().close();
    }
  });

  const asWho = (key: string) => fetch(`${site.platform.url}/me`, { headers: { 'X-API-Key': key } });
});

/** Makes a key on the page of its user; gives its text, which the page shows this once. */
async function madeKey(page: Page, button: string, name: string, scope?: string): Promise<string> {
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('button', { name: 'Make the key' }).click();
  await page.getByText(/^Name must be 1 to/).waitFor();
  await page.getByLabel('What it is for').fill(name);
  if (scope !== undefined) {
    await page.getByRole('radio', { name: 'Only some of it' }).check();
    expect(await page.getByRole('checkbox', { name: scope }).isChecked()).toBe(true);
  }
  await page.getByRole('button', { name: 'Make the key' }).click();
  const text = await page.getByLabel('The key', { exact: true }).inputValue();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('article', { name: `Key ${name}` }).waitFor();
  expect(await page.content()).not.toContain(text);
  return text;
}

async function heldNames(site: Site): Promise<readonly string[]> {
  const { tools } = (await (await fetch(`${site.platform.url}/tools/held`)).json()) as { tools: { name: string }[] };
  return tools.map(({ name }) => name);
}

type Decided = { readonly result: { readonly approval?: { readonly uuid: string; readonly reason: string } } };

async function approve(site: Site, approval: string | undefined): Promise<Decided> {
  const answer = await fetch(`${site.platform.url}/approvals/${approval}`, {
    method: 'POST',
    body: '{"approved":true}',
  });
  return (await answer.json()) as Decided;
}
