import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings, describeInBrowser, openSite, type Site, say } from './browser.ts';

const looks = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 390, height: 800 } }],
] as const;

describeInBrowser('axe finds nothing', () => {
  let site: Site;
  let answered: string;
  let waiting: { readonly id: string; readonly approval?: string };
  beforeAll(async () => {
    site = await openSite();
    answered = (await say(site, 'list all resources')).id;
    waiting = await say(site, 'create a server b‮‍-1 with value 5');
  });
  afterAll(() => site?.close());

  const pages: readonly (readonly [string, () => string, (page: Page) => Promise<unknown>])[] = [
    ['the beginning', () => '/', (page) => page.getByText(/It has \d+ tools/).waitFor({ state: 'attached' })],
    ['an answer', () => `/c/${answered}`, (page) => page.locator('details.call summary').click()],
    ['a question', () => `/c/${waiting.id}`, (page) => page.getByRole('button', { name: 'Approve' }).waitFor()],
    ['the inbox', () => '/approvals', (page) => page.locator('.approval-row').first().waitFor()],
    [
      'a rejection',
      () => `/approvals/${waiting.approval}`,
      async (page) => {
        await page.getByRole('button', { name: 'Reject' }).click();
        await page.getByRole('button', { name: 'Yes, reject' }).waitFor();
      },
    ],
    [
      'a change of arguments',
      () => `/approvals/${waiting.approval}`,
      async (page) => {
        await page.getByRole('button', { name: 'Change…' }).click();
        await page.getByLabel('Arguments, as JSON').fill('{"name": "other", "value": 12345678901234567890}');
        await page.locator('.diff').waitFor();
      },
    ],
    [
      'the help',
      () => '/approvals',
      async (page) => {
        await page.locator('.approval-row').first().waitFor();
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      },
    ],
    [
      'the settings',
      () => `/approvals/${waiting.approval}`,
      async (page) => {
        await page.keyboard.press('Escape');
        await page.goto(site.url);
        await page.getByRole('button', { name: 'Settings' }).click();
        await page.getByRole('dialog', { name: 'Settings' }).waitFor();
      },
    ],
    ['a wrong address', () => '/nowhere', (page) => page.getByText('There is nothing here').waitFor()],
  ];

  test.each(looks)('%s', async (_, look) => {
    for (const [name, path, arrive] of pages) {
      const page = await site.open(path(), look);
      await arrive(page);
      expect(await axeFindings(page), name).toEqual([]);
      await page.context().close();
    }
  });
});
