import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AskedHere, asks, begin, openAskingSite } from './asking.ts';
import { describeInBrowser, findings, openSite, type Site, say, script } from './browser.ts';

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

  test.each(pages)('%s', async (_, path, arrive) => {
    const page = await site.open(path());
    await arrive(page);
    expect(await findings(page)).toEqual([]);
    await page.context().close();
  });
});

/** A form with a field of each kind. */
const everyField = {
  type: 'object',
  properties: {
    text: { type: 'string', description: 'A long one' },
    short: { type: 'string', maxLength: 10 },
    amount: { type: 'integer', minimum: 1 },
    yes: { type: 'boolean' },
    one: { type: 'string', enum: ['a', 'b'] },
    many: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    long: { type: 'string', enum: Array.from({ length: 12 }, (_, index) => `choice ${index}`) },
    day: { type: 'string', format: 'date' },
    time: { type: 'string', format: 'date-time' },
  },
  required: ['text', 'amount', 'yes', 'one', 'long'],
};
const asksForFile = {
  prompt: 'You are Clerk',
  calls: [{ name: 'request_user_input', args: { prompt: 'Which file?', inputType: 'file' } }],
};

/** Has the form say what is wrong with it. */
async function wrongAnswer(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send the answer' }).click();
  await page.locator('.field-problem').first().waitFor();
}

describeInBrowser('axe finds nothing where people are asked', () => {
  let site: Site;
  let form: AskedHere;
  let address: AskedHere;
  let file: AskedHere;
  beforeAll(async () => {
    site = await openAskingSite();
    form = await begin(site, asks({ name: 'form', schema: everyField }));
    address = await begin(site, asks({ name: 'address', url: 'https://pay.example/1' }));
    await script(site, asksForFile);
    file = await begin(site, { agent: 'office/clerk', message: 'Read it' });
  }, 180_000);
  afterAll(() => site?.close());

  const pages: readonly (readonly [string, () => string, (page: Page) => Promise<unknown>])[] = [
    ['a form', () => `/questions/${form.id}/${form.input}`, (page) => wrongAnswer(page)],
    ['an address', () => `/c/${address.id}`, (page) => page.locator('.address-whole').waitFor()],
    [
      'a file, and a refusal',
      () => `/questions/${file.id}/${file.input}?kind=file`,
      async (page) => {
        await page.getByRole('button', { name: 'Decline' }).click();
        await page.getByRole('button', { name: 'Yes, decline' }).waitFor();
      },
    ],
  ];

  test.each(pages)('%s', async (_, path, arrive) => {
    const page = await site.open(path());
    await arrive(page);
    expect(await findings(page)).toEqual([]);
    await page.context().close();
  });
});
