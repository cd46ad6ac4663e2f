import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgentsSite, areSynced, hostileText, openAgentsSite } from './agents-site.ts';
import { axeFindings, describeInBrowser, findings, type Site } from './browser.ts';

const billing = '/agents/support%2Fbilling';

/** Has the platform remember something for an agent. */
const remember = (site: Site, key: string, value: unknown) =>
  fetch(`${site.platform.url}${billing}/memories/${encodeURIComponent(key)}`, {
    ...{ method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ value }) },
  });

const row = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) });

describeInBrowser('agents in the browser', () => {
  let made: AgentsSite;
  let site: Site;
  beforeAll(async () => {
    made = await openAgentsSite();
    site = made.site;
    await areSynced(site);
  });
  // Closing it fails if anything of a file was run, or asked another origin.
  afterAll(() => site?.close());

  test('the list says what each agent is, where it comes from and how it stands, and is searched', async () => {
    const page = await site.open('/agents');
    const one = row(page, 'support/billing');
    await one.getByText('Asks before each call that could do harm').waitFor();
    await one.getByText('Ready').waitFor();
    const said = (await one.textContent()) ?? '';
    for (const part of ['Answers questions about bills and refunds', 'main-agents, main', made.second.slice(0, 12)])
      expect(said).toContain(part);
    for (const part of ['Of resources: resources_*', 'At most 15 minutes, $0.50']) expect(said).toContain(part);
    await row(page, 'tested').getByText('From the configuration of the platform').waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('REFUNDS');
    await page.waitForURL(/\?q=REFUNDS$/);
    await row(page, 'tested').waitFor({ state: 'detached' });
    await one.waitFor();
    await page.reload();
    await one.waitFor();
    expect(await page.getByLabel('Search agents').inputValue()).toBe('REFUNDS');
    await page.getByLabel('Search agents').fill('nothing like it');
    await page.getByText('Nothing found.').waitFor();
  });

  test('an agent is shown in full, and two commits of it are compared', async () => {
    const page = await site.open(billing);
    const about = page.getByLabel('What it is');
    await about.getByText('10 answers of its model; then it stops until a person says that it goes on').waitFor();
    await page.locator('.instructions').getByText('Call no tools.').waitFor();

    await page.goto(`${site.url}/agents/team/desk`);
    await page.locator('.agent-step').first().getByText('Again and again, at most 2 times').waitFor();
    await about.getByText('Some of its steps ask before each call that could do harm').waitFor();
    const steps = await page.locator('.agent-tree .agent-tree .agent-step').allTextContents();
    expect(steps).toEqual([
      'draftAsks its model. No tools.Write a draft.',
      'reviewAsks its model. All tools of resources. Asks before each call that could do harm.Read it again, word by word.',
    ]);

    await page.goto(`${site.url}${billing}`);
    await page.getByRole('link', { name: 'Versions' }).click();
    const versions = page.getByRole('list', { name: 'Versions, the newest first' }).getByRole('listitem');
    await expect.poll(() => versions.count()).toBe(2);
    expect(await versions.last().textContent()).toContain(`Answer questions about billsAna`);
    await versions.last().getByRole('link', { name: 'What it began with' }).click();
    await page.getByText('The agent was not there before: all of it is new.').waitFor();

    await page.getByLabel('From').selectOption(made.first);
    await page.getByLabel('To').selectOption(made.second);
    await page.waitForURL(`**${billing}?show=versions&from=${made.first}&to=${made.second}`);
    await page.getByText('4 lines new, 1 line gone').waitFor();
    const lines = async (kind: string) =>
      (await page.locator(`.patch-line.${kind} .patch-text`).allTextContents()).map((text) => text.trimEnd());
    expect(await lines('gone')).toEqual(['gone: Task: list all resources']);
    expect(await lines('new')).toEqual([
      ...['new: approvals: require', 'new: maxCost: 0.5', 'new: maxExecutionMinutes: 15', 'new: Call no tools.'],
    ]);
    // The other way round it says the opposite.
    await page.getByLabel('From').selectOption(made.second);
    await page.getByLabel('To').selectOption(made.first);
    await page.locator('.patch-line.new').getByText('Task: list all resources').waitFor();
  });

  test('an old version is looked at and run: what answers is what the page named, and the next message goes to the newest', async () => {
    const page = await site.open(`${billing}?show=versions`);
    const old = page.getByRole('listitem').filter({ hasText: 'Answer questions about bills' });
    await old.getByRole('link', { name: 'Look at it' }).click();
    await page.locator('.instructions').getByText('Task: list all resources').waitFor();
    await page.getByText('The newest one is different.').waitFor();
    await page.getByRole('link', { name: 'Run this version' }).click();

    const chosen = page.getByLabel('The agent that will answer');
    await chosen.getByText('an older version').waitFor();
    await chosen.getByText(made.first.slice(0, 12)).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('Enter');
    // The old instructions have it list the resources, which the new ones forbid.
    await page.locator('details.call').getByText('resources_list').waitFor();
    await page.locator('.ran-version').getByText('not the newest version').waitFor();
    expect(await page.locator('.ran-version').textContent()).toContain(made.first.slice(0, 12));
    await page.locator('.composer .send[aria-label="Send"]').waitFor();

    await page.getByRole('textbox', { name: 'Message' }).fill('Hello again');
    await page.keyboard.press('Enter');
    await page.locator('.ran-version').getByText(made.second.slice(0, 12)).waitFor();
    await expect.poll(() => page.locator('.ran-version .tag').count()).toBe(0);
    await expect.poll(() => page.locator('.item.agent .md').count()).toBe(2);
    expect(await page.locator('details.call').count()).toBe(1);
  });

  test('another agent is chosen where a conversation begins', async () => {
    const page = await site.open('/');
    await page.getByRole('button', { name: 'Choose another agent' }).click();
    await page.getByRole('dialog').getByLabel('Search agents').fill('refunds');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /support\/billing/ })
      .click();
    await page.waitForURL('**/?agent=support%2Fbilling');
    await page.getByLabel('The agent that will answer').getByText('The newest version').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await page.keyboard.press('Enter');
    await page.locator('.ran-version').getByText('support/billing.md').waitFor();
    // Nobody can write to an agent that is not there.
    await page.goto(`${site.url}/?agent=suport/billing`);
    await page.getByText('did you mean support/billing?').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  });

  test('what is wrong in a repository appears by itself, in words, and goes away by itself', async () => {
    const page = await site.open('/agents/repositories');
    const card = row(page, 'main-agents');
    await card.getByText('In step').waitFor();
    made.agents.write('broken.md', '---\nname: Broken\ndescription: Broken\nmaxTurns: many\n---\nHelp.\n');
    made.agents.commit('Break one');
    const errors = card.getByLabel('Files that are wrong');
    await errors.getByText('broken.md:4:1').waitFor();
    await errors.getByText('maxTurns: expected a whole number from 1 to 100').waitFor();
    made.agents.write('broken.md', '---\nname: Mended\ndescription: Mended\n---\nHelp.\n');
    made.agents.commit('Mend it');
    await errors.waitFor({ state: 'detached' });

    made.agents.git('branch', '--move', 'main', 'elsewhere');
    await card.getByText('There is no branch main; it has elsewhere.').waitFor();
    await card.getByText('The agents that it knows stay usable as they were.').waitFor();
    const list = await site.open('/agents');
    await row(list, 'support/billing').getByText('May be old: its repository cannot be synced').waitFor();
    made.agents.git('branch', '--move', 'elsewhere', 'main');
    await card.getByText('There is no branch main').waitFor({ state: 'detached' });
    await card.getByText('In step').waitFor();
    await row(list, 'support/billing').getByText('Ready').waitFor();
  });

  test('a repository is added with an error at its field, synced, changed and removed', async () => {
    const page = await site.open('/agents/repositories');
    // Those of the configuration are changed there.
    await row(page, 'main-agents').getByText('It stands in the configuration of the platform').waitFor();
    expect(await row(page, 'main-agents').getByRole('button').allTextContents()).toEqual(['Sync now']);

    await page.getByRole('button', { name: 'Add a repository' }).click();
    const form = page.getByRole('dialog', { name: 'Add a repository' });
    await form.getByLabel('Name', { exact: true }).fill('team');
    await form.getByLabel('Address').fill('/etc');
    await form.getByRole('button', { name: 'Add it' }).click();
    const address = form.getByLabel('Address');
    await expect.poll(() => address.getAttribute('aria-invalid')).toBe('true');
    const told = await address.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${told}"]`).textContent()).toMatch(
      /^The address names the folder \/etc, which is below none/,
    );
    await address.fill(made.agents.folder);
    await form.getByLabel('Branch').fill('nowhere');
    await form.getByRole('button', { name: 'Add it' }).click();
    await form.waitFor({ state: 'detached' });
    const card = row(page, 'team');
    await card.getByText('There is no branch nowhere; it has main.').waitFor();

    await card.getByRole('button', { name: 'Change…' }).click();
    const change = page.getByRole('dialog', { name: 'Change team' });
    expect(await change.getByRole('button', { name: 'Change it' }).isDisabled()).toBe(true);
    await change.getByLabel('Branch').fill('main');
    await change.getByRole('button', { name: 'Change it' }).click();
    await card.getByText('In step').waitFor();
    await card.getByRole('button', { name: 'Sync now' }).click();
    await card.getByRole('link', { name: /^\d agents$/ }).click();
    await row(page, 'team/support/billing').waitFor();
    await row(page, 'support/billing').waitFor({ state: 'detached' });

    await page.goBack();
    await card.getByRole('button', { name: 'Remove…' }).click();
    const sure = page.getByRole('dialog', { name: 'Remove this repository?' });
    await sure.getByText(/agents of team cannot be found any more.*Runs that have begun go on/).waitFor();
    await sure.getByRole('button', { name: 'No, leave it' }).click();
    await card.waitFor();
    await card.getByRole('button', { name: 'Remove…' }).click();
    await sure.getByRole('button', { name: 'Yes, remove it' }).click();
    await card.waitFor({ state: 'detached' });
    expect((await fetch(`${site.platform.url}/agents/team%2Fsupport%2Fbilling`)).status).toBe(404);
  });

  test('what an agent remembers is shown exactly, searched, and forgotten only as it was shown', async () => {
    await remember(site, 'customer/7', { name: 'Ada', rate: 0.1 });
    await remember(site, '<b>x</b>', hostileText);
    const page = await site.open(`${billing}?show=memory`);
    const memory = (key: string) => page.locator('.memory-row').filter({ hasText: key });
    const exact = memory('customer/7').locator('.exact');
    await exact.waitFor();
    expect(await exact.textContent()).toBe('{\n  "name": "Ada",\n  "rate": 0.1\n}');
    expect(await memory('<b>x</b>').locator('.exact .hidden-mark').allTextContents()).toEqual(['U+202E', 'U+200B']);
    await page.getByLabel('Search its memory').fill('ada');
    await memory('<b>x</b>').waitFor({ state: 'detached' });

    await memory('customer/7').getByRole('button', { name: 'Forget…' }).click();
    const sure = page.getByRole('dialog', { name: 'Have it forget this?' });
    await sure.getByText('The record keeps what was saved').waitFor();
    // Somebody else saves meanwhile: that is not what was asked about.
    await remember(site, 'customer/7', { name: 'Ada', rate: 0.2 });
    await sure.getByRole('button', { name: 'Yes, forget it' }).click();
    await sure.getByText(/The memory .* has been changed/).waitFor();
    await sure.getByRole('button', { name: 'No, leave it' }).click();
    await exact.getByText('"rate": 0.2').waitFor();
    await memory('customer/7').getByRole('button', { name: 'Forget…' }).click();
    await sure.getByRole('button', { name: 'Yes, forget it' }).click();
    await memory('customer/7').waitFor({ state: 'detached' });
    expect((await fetch(`${site.platform.url}${billing}/memories/customer%2F7`)).status).toBe(404);
  });

  test('a hostile file is text: nothing of it runs or loads, and what it hides is shown', async () => {
    const page = await site.open('/agents/hostile');
    await page.locator('.agent-title').getByText('<img src=x onerror').waitFor();
    const marks = (where: string) => page.locator(`${where} .hidden-mark`).allTextContents();
    expect(await marks('.agent-what')).toEqual(['U+202E', 'U+200B']);
    expect(await page.locator('.agent-title .twin-mark').count()).toBe(1);
    await page.getByRole('button', { name: /^Show all of the instructions: [\d,]+ more characters$/ }).click();
    const told = (await page.locator('.instructions .exact').textContent()) ?? '';
    expect(told).toContain('# A heading <style>body{display:none}</style>');
    expect(told.endsWith('aEND')).toBe(true);
    const inert = async () => {
      expect(await page.locator('main').locator('img, script, style, iframe, b, h3').count()).toBe(0);
      expect(await page.evaluate('window.__ran')).toBeUndefined();
      // A very long line is broken, so that the page is not wider than the window.
      expect(await page.evaluate('document.querySelector(".page-body").scrollWidth <= innerWidth')).toBe(true);
    };
    await inert();
    for (const [path, sees] of [
      ['/agents', '<b onmouseover'],
      [`${billing}?show=versions`, 'Ask before each call <img'],
      [`/agents/hostile?show=versions&to=${made.second}`, '![pixel](http://tracker.example/x.png)'],
    ] as const) {
      await page.goto(`${site.url}${path}`);
      await page.getByText(sees).first().waitFor();
      await inert();
    }
  });

  test('axe finds nothing in light, in dark and on a phone', async () => {
    await remember(site, 'greeting', 'Hello');
    const versions = `${billing}?show=versions&from=${made.first}&to=${made.second}`;
    const pages: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
      ['/agents', (page) => row(page, 'support/billing').getByText('Ready').waitFor()],
      [`${billing}?commit=${made.first}`, (page) => page.getByText('The newest one is different.').waitFor()],
      ['/agents/hostile', (page) => page.locator('.agent-title').waitFor()],
      ['/agents/tested', (page) => page.getByText('resources_list').waitFor()],
      [versions, (page) => page.locator('.patch').waitFor()],
      [`${billing}?show=memory`, (page) => page.getByRole('button', { name: 'Forget…' }).first().click()],
      ['/agents/repositories', (page) => row(page, 'main-agents').getByText('In step').waitFor()],
      ['/agents/repositories', (page) => page.getByRole('button', { name: 'Add a repository' }).click()],
      [`/?agent=support/billing&commit=${made.first}`, (page) => page.getByText('an older version').waitFor()],
      ['/agents/team/desk', (page) => page.locator('.agent-step').first().waitFor()],
      ['/agents/nobody', (page) => page.getByText('There is no agent nobody').waitFor()],
    ];
    for (const [path, arrive] of pages) {
      const page = await site.open(path);
      await arrive(page);
      expect(await findings(page), path).toEqual([]);
      await page.context().close();
    }
    // A change of the width closes this one.
    for (const look of [{}, { colorScheme: 'dark' }, { viewport: { width: 375, height: 800 } }] as const) {
      const page = await site.open('/', look);
      await page.getByRole('button', { name: 'Choose another agent' }).click();
      expect(await axeFindings(page), JSON.stringify(look)).toEqual([]);
      await page.context().close();
    }
  });
});

describeInBrowser('agents where people sign in', () => {
  let made: AgentsSite;
  afterAll(() => made?.site.close());

  test('a USER is offered nothing that is for administrators, and an administrator is', async () => {
    made = await openAgentsSite('auth: {}');
    const { site } = made;
    const post = async (key: string, path: string, body: object) => {
      const answer = await fetch(`${site.platform.url}${path}`, {
        ...{ method: 'POST', headers: { 'x-api-key': key, 'content-type': 'application/json' } },
        body: JSON.stringify(body),
      });
      return (await answer.json()) as { user: { id: string }; key: { text: string } };
    };
    const setup = readFileSync(join(site.place.dataDir, 'setup-key'), 'utf8').trim();
    const boss = await post(setup, '/users', { email: 'boss@x.example', name: 'Boss' });
    const { user } = await post(boss.key.text, '/users', { email: 'ana@x.example', name: 'Ana' });
    const ana = await post(boss.key.text, `/users/${user.id}/keys`, { name: 'browser' });
    await areSynced(site, boss.key.text);
    // What is offered after the platform has said who this is, and the page has been drawn again.
    const isDrawn = async (page: Page, path: string) => {
      await page.waitForResponse('**/api/me');
      await page.waitForResponse(`**/api${path}`);
    };
    const offered = async (key: string) => {
      const page = await site.open('/agents/repositories');
      await page.getByLabel('API key').fill(key);
      const known = isDrawn(page, '/repositories');
      await page.keyboard.press('Enter');
      await known;
      await row(page, 'main-agents').getByText('In step').waitFor();
      const buttons = await page.locator('main').getByRole('button').allTextContents();
      const again = isDrawn(page, `${billing}/history?limit=100`);
      await page.goto(`${site.url}${billing}?show=versions`);
      await again;
      await page.getByText('Run the newest version').waitFor();
      return [...buttons.map((text) => text.trim()), ...(await page.getByText('Run this version').allTextContents())];
    };
    expect(await offered(boss.key.text)).toEqual(['Add a repository', 'Sync now', 'Run this version']);
    expect(await offered(ana.key.text)).toEqual([]);
  });
});
