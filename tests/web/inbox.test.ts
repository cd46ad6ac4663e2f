import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { journaledConfig, journalFile, resourcesConfig } from '../e2e/platform.ts';
import { describeInBrowser, openSite, type Site, say, script } from './browser.ts';

const decideOverRest = (site: Site, uuid: string | undefined, body: object) =>
  fetch(`${site.platform.url}/approvals/${uuid}`, { method: 'POST', body: JSON.stringify(body) });

async function stateOf(site: Site, uuid: string | undefined, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`${site.platform.url}/approvals/${uuid}`, { headers });
  return ((await answer.json()) as { approval: { status: string } }).approval.status;
}

const outcomeOn = (page: Page) => page.locator('.card-outcome p');

describeInBrowser('the inbox, several at once', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ config: (place) => journaledConfig(place) });
  });
  afterAll(() => site?.close());

  test('several are decided together: each is shown whole, and one that was decided meanwhile is told apart', async () => {
    const asked = [];
    for (const name of ['one', 'two', 'three']) asked.push(await say(site, `create a server ${name} with value 1`));
    const [one, two, three] = asked.map(({ approval }) => approval);
    const page = await site.open('/approvals');
    await page.getByRole('button', { name: 'Select several' }).click();
    for (const name of ['one', 'two']) await page.getByRole('checkbox', { name: new RegExp(`name ${name},`) }).check();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Approve…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve 2 calls?' });
    expect(await dialog.locator('.arguments dd').allTextContents()).toEqual(['one', '1 number', 'two', '1 number']);
    expect(await stateOf(site, one)).toBe('pending');

    await decideOverRest(site, two, { approved: false, by: 'Eve' });
    await dialog.getByRole('button', { name: 'Yes, approve all 2' }).click();
    await dialog.waitFor({ state: 'detached' });
    const said = page.locator('.batch-said');
    await said.getByText('1 approved.').waitFor();
    await said.getByText(/^1 not decided: .*Eve/).waitFor();
    expect(await Promise.all([one, two, three].map((uuid) => stateOf(site, uuid)))).toEqual([
      'approved',
      'rejected',
      'pending',
    ]);

    // With the keyboard: the approval that is looked at is selected, and all that are selected are rejected.
    await page.getByRole('button', { name: 'Done' }).click();
    await page.goto(`${site.url}/approvals/${three}`);
    await page.getByRole('article').waitFor();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByLabel(/^Why\?/).fill('not today');
    await page.getByRole('button', { name: 'Yes, reject it' }).click();
    await outcomeOn(page).getByText('“not today”').waitFor();
    expect(await stateOf(site, three)).toBe('rejected');
  });

  test('one is taken, found by who took it, and given back; another tab sees it without a reload', async () => {
    const { approval } = await say(site, 'create a server mine with value 1');
    const [ada, other] = await Promise.all([1, 2].map(() => site.open(`/approvals/${approval}`)));
    if (ada === undefined || other === undefined) throw new Error('no tab');
    await ada.evaluate(`localStorage.setItem('stopgo.name', 'Ada')`);
    await ada.reload();
    await ada.getByRole('button', { name: 'Take it' }).click();
    await other.getByText('Ada (unverified name)').waitFor();
    await ada.getByText('More filters').click();
    await ada.getByLabel('Assigned to').selectOption('Me');
    await ada.waitForURL(/assignee=Ada/);
    await expect.poll(() => ada.locator('.approval-row').count()).toBe(1);
    await ada.getByText('for Ada').waitFor();
    await ada.locator('.approval-row').click();
    await ada.getByRole('button', { name: 'Give it back' }).click();
    await other.getByRole('button', { name: 'Give it to…' }).click();
    await other.getByPlaceholder('E-mail address or name').fill('Ben');
    await other.getByRole('button', { name: 'Assign', exact: true }).click();
    await ada.getByText('Ben (unverified name)').waitFor();
    await decideOverRest(site, approval, { approved: false });
  });

  test('of a call of which nobody knows whether it ran, its choices are offered, each with what it means', async () => {
    await script(site, { calls: [{ name: 'die', args: { name: 'doubtful' } }] });
    const { approval } = await say(site, 'die');
    // The server ended in the midst of the call.
    const page = await site.open(`/approvals/${approval}`);
    await page.getByRole('heading', { name: /Nobody knows$/ }).waitFor();
    await page.getByText('In doubt').waitFor();
    expect(await page.locator('.card-decide .button').allTextContents()).toEqual([
      'Run it again',
      'It happened',
      'Give it up',
    ]);
    await page.getByRole('button', { name: 'Run it again' }).click();
    await page.getByText('If it did run before, it runs twice.').waitFor();
    await page.getByRole('button', { name: 'Not yet' }).click();
    await page.getByRole('button', { name: 'It happened' }).click();
    await page.getByLabel('What came of it, as you know it').fill('it had run');
    await page.getByRole('button', { name: 'Yes, it happened' }).click();
    await outcomeOn(page)
      .getByText(/it happened/)
      .waitFor();
    expect(readFileSync(journalFile(site.place), 'utf8').match(/doubtful/g)).toHaveLength(1);
  });
});

describeInBrowser('the inbox, where people sign in', () => {
  let site: Site;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    site = await openSite({
      config: (place) =>
        resourcesConfig(
          place,
          `
auth: {}
approvals:
  rules:
    - name: two people
      tool: "*add*"
      verdict: ask
      approvers: 2 of [ana@x.example, ben@x.example, cleo@x.example]
      separation_of_duties: true
`,
        ),
    });
    const send = async (path: string, key: string, body: object) => {
      const sent = { method: 'POST', headers: { 'X-API-Key': key }, body: JSON.stringify(body) };
      // biome-ignore lint/suspicious/noExplicitAny: whatever JSON it is
      return (await (await fetch(`${site.platform.url}${path}`, sent)).json()) as any;
    };
    const setup = readFileSync(join(site.place.dataDir, 'setup-key'), 'utf8').trim();
    keys.ana = (await send('/users', setup, { email: 'ana@x.example', name: 'Ana' })).key.text;
    for (const name of ['ben', 'cleo']) {
      const { user } = await send('/users', keys.ana ?? '', { email: `${name}@x.example`, name });
      keys[name] = (await send(`/users/${user.id}/keys`, keys.ana ?? '', { name: 'first' })).key.text;
    }
  });
  afterAll(() => site?.close());

  async function signedIn(name: string, path: string): Promise<Page> {
    const page = await site.open(path);
    await page.getByLabel('API key').fill(keys[name] ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    return page;
  }

  test('two votes are needed: who asked has none, each vote is seen at once, and the second decides', async () => {
    const asked = await fetch(`${site.platform.url}/conversations`, {
      method: 'POST',
      headers: { 'X-API-Key': keys.ana ?? '' },
      body: JSON.stringify({ message: 'create a server voted with value 1' }),
    });
    const { result } = (await asked.json()) as { result: { approval: { uuid: string } } };
    const { uuid } = result.approval;
    const [ana, ben, cleo] = await Promise.all(
      ['ana', 'ben', 'cleo'].map((name) => signedIn(name, `/approvals/${uuid}`)),
    );
    if (ana === undefined || ben === undefined || cleo === undefined) throw new Error('no tab');
    await ana.getByText('0 of 2 votes').waitFor();
    await ana.getByRole('button', { name: 'Approve' }).click();
    await ana.getByRole('alert').filter({ hasText: /asked/ }).waitFor();
    expect(await stateOf(site, uuid, { 'X-API-Key': keys.ana ?? '' })).toBe('pending');

    await ben.getByRole('button', { name: 'Approve' }).click();
    await cleo.getByText(/1 of 2 votes: ben/).waitFor();
    // What waits for her is in her inbox, although the conversation is not hers, and is counted.
    expect(await cleo.locator('.approval-row').count()).toBe(1);
    await expect.poll(() => cleo.title()).toBe('(1) Approvals · Stop and Go');
    // The same person again is the same vote.
    await ben.getByRole('button', { name: 'Approve' }).click();
    await ben.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
    expect(await stateOf(site, uuid, { 'X-API-Key': keys.ben ?? '' })).toBe('pending');

    await cleo.getByRole('button', { name: 'Approve' }).click();
    for (const page of [ana, ben, cleo])
      await outcomeOn(page)
        .getByText(/Approved by/)
        .waitFor();
    await expect.poll(() => stateOf(site, uuid, { 'X-API-Key': keys.ana ?? '' })).toBe('approved');
  });

  test('a wrong key is refused in words, and who signs out is asked again', async () => {
    const page = await site.open('/approvals');
    await page.getByLabel('API key').fill('sag_wrong_key');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
    await page.getByLabel('API key').fill(keys.ben ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });
});
