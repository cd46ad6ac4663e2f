import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { doneIn } from '../e2e/asking-servers.ts';
import { start } from '../e2e/platform.ts';
import { freePort } from '../free-ports.ts';
import { askingConfig, asks, begin, completes, openAskingSite } from './asking.ts';
import { describeInBrowser, type Site, script } from './browser.ts';

const form = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 1, maxLength: 40, default: 'Ada' },
    amount: { type: 'integer', title: 'How many', minimum: 1, maximum: 100 },
    price: { type: 'number' },
    gift: { type: 'boolean', title: 'A gift?' },
    size: {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'l', title: 'Large' },
      ],
    },
    extras: { type: 'array', items: { type: 'string', enum: ['ribbon', 'card', 'box'] }, maxItems: 2 },
    day: { type: 'string', format: 'date' },
    email: { type: 'string', format: 'email', description: 'Where the bill goes' },
    note: { type: 'string' },
  },
  required: ['name', 'amount', 'gift', 'size', 'email'],
};
const one = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };

const card = (page: Page) =>
  page
    .getByRole('article')
    .filter({ has: page.locator('.question-message') })
    .last();
const outcome = (page: Page) => card(page).locator('.card-outcome');
const send = (page: Page) => page.getByRole('button', { name: 'Send the answer' });

describeInBrowser('what people are asked', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openAskingSite();
  }, 180_000);
  afterAll(() => site?.close());

  test('a form has a field for each value, keeps what is written over a reload, and says at the field what is wrong', async () => {
    const { id } = await begin(site, asks({ name: 'form', message: 'What shall it be?', schema: form }));
    const page = await site.open(`/c/${id}`);
    await card(page).getByText('What shall it be?').waitFor();
    await page.getByText('The tool server new asks').waitFor();
    // Not one of them is filled in but the one that has a default.
    await send(page).click();
    await expect
      .poll(() => page.locator('.field-problem').allTextContents())
      .toEqual([
        // The schema came with its names in order.
        ...['Write a number.', 'Fill this in.', 'Choose yes or no.', 'Choose one.'],
      ]);
    expect(await page.evaluate('document.activeElement.closest(".field").textContent')).toContain('How many');
    expect(await page.getByLabel('Your name').inputValue()).toBe('Ada');
    await page.getByLabel('How many').fill('five');
    await page.getByLabel('price').fill('12.50');
    await page.getByRole('group', { name: 'A gift?' }).getByLabel('No', { exact: true }).check();
    await page.getByLabel('Large').check();
    await page.getByLabel('card').check();
    await page.getByLabel('ribbon').check();
    await page.getByLabel('day').fill('2026-02-03');
    await page.getByLabel('email').fill('not an address');
    await page.reload();
    await page.getByLabel('How many').waitFor();
    expect(await page.getByLabel('email').inputValue()).toBe('not an address');
    expect(await page.getByLabel('ribbon').isChecked()).toBe(true);
    await send(page).click();
    await page.getByText('Write a number, such as 12 or 3.5.').waitFor();
    // What the platform refuses it says at the field as well, one after the other.
    await page.getByLabel('How many').fill('500');
    await send(page).click();
    await page.getByText('This is to be a whole number from 1 to 100.').waitFor();
    await page.getByLabel('How many').fill('5');
    await send(page).click();
    await page.getByText('This is to be a text of the form email.').waitFor();
    expect(doneIn(site.place, 'new', 'form')).toEqual([]);
    await page.getByLabel('email').fill('ada@example.com');
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().includes('/inputs/'));
    await send(page).click();
    // Digit by digit, as it was written.
    expect((await sent).postData()).toContain('"price": 12.50');
    await outcome(page)
      .getByText(/^Answered by somebody at \d/)
      .waitFor();
    expect(doneIn(site.place, 'new', 'form')).toMatchObject([
      {
        action: 'accept',
        content: {
          ...{ name: 'Ada', amount: 5, price: 12.5, gift: false, size: 'l', extras: ['ribbon', 'card'] },
          ...{ day: '2026-02-03', email: 'ada@example.com' },
        },
      },
    ]);
    // It stays in its place, and in every tab, with what was answered.
    await page.reload();
    await outcome(page).getByText('ada@example.com').waitFor();
    expect(await send(page).count()).toBe(0);
  });

  test('whoever does not want to answer says so with two presses, and the server is told which of the two it is', async () => {
    const [refused, closed] = [
      await begin(site, asks({ name: 'refused', schema: one })),
      await begin(site, asks({ name: 'closed', schema: one })),
    ];
    const page = await site.open(`/questions/${refused.id}/${refused.input}`);
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('The tool server is told that you do not want to answer.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Decline' }).click();
    expect(doneIn(site.place, 'new', 'refused')).toEqual([]);
    await page.keyboard.press('Enter');
    await outcome(page)
      .getByText(/^Declined by somebody at/)
      .waitFor();
    await page.goto(`${site.url}/questions/${closed.id}/${closed.input}`);
    await page.getByRole('button', { name: 'Close without an answer' }).click();
    await page.getByRole('button', { name: 'Yes, close without an answer' }).click();
    await outcome(page)
      .getByText(/^Closed without an answer by somebody/)
      .waitFor();
    await expect.poll(() => doneIn(site.place, 'new', 'refused')).toMatchObject([{ action: 'decline' }]);
    await expect.poll(() => doneIn(site.place, 'new', 'closed')).toMatchObject([{ action: 'cancel' }]);
  });

  test('two tabs: the second is told who answered and when, without a reload, and that its own words were not sent', async () => {
    const { id, input } = await begin(site, asks({ name: 'both', schema: one }));
    const [inChat, inbox] = [await site.open(`/c/${id}`), await site.open(`/questions/${id}/${input}`)];
    await inChat.evaluate(`localStorage.setItem('stopgo.name', 'Ben')`);
    for (const tab of [inChat, inbox]) await tab.getByLabel('answer', { exact: true }).fill('mine');
    await inChat.getByLabel('answer', { exact: true }).fill('of the chat');
    await send(inChat).click();
    for (const tab of [inChat, inbox])
      await outcome(tab)
        .getByText(/^Answered by “Ben” \(unverified\) at \d/)
        .waitFor();
    await inbox.getByText('What you had written here was not sent.').waitFor();
    expect(await inChat.getByText('What you had written here was not sent.').count()).toBe(0);
    await outcome(inbox).getByText('of the chat').waitFor();
    expect(await inbox.evaluate('JSON.stringify(sessionStorage)')).not.toContain('mine');
    expect(doneIn(site.place, 'new', 'both')).toMatchObject([{ content: { answer: 'of the chat' } }]);
  });

  test('whoever answers at the same moment is told who was faster', async () => {
    const { id, input } = await begin(site, asks({ name: 'raced', schema: one }));
    const page = await site.open(`/c/${id}`);
    await page.getByLabel('answer', { exact: true }).fill('slower');
    // The record does not reach this tab.
    await page.route('**/events*', (route) => route.abort());
    await page.reload();
    await page.unroute('**/events*');
    await page.getByLabel('answer', { exact: true }).waitFor();
    await page.route('**/inputs/*', async (route) => {
      await fetch(`${site.platform.url}/conversations/${id}/inputs/${input}`, {
        ...{ method: 'POST', body: '{"action":"decline","by":"Eve"}' },
      });
      await route.continue();
    });
    await send(page).click();
    await outcome(page)
      .getByText(/^Declined by .*Eve.* at \d/)
      .waitFor();
  });

  test('an address is shown whole, opens in a tab that knows nothing of this one, and is said to be done', async () => {
    const visits: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      visits.push(request.headers.referer);
      response.setHeader('content-type', 'text/html').end('<p>paid</p>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay?order=1&token=${'x'.repeat(700)}#end`;
    const { id } = await begin(site, asks({ name: 'shop', message: 'Please pay.', url }));
    const page = await site.open(`/c/${id}`);
    const link = page.getByRole('link', { name: 'Open it in a new tab' });
    expect(await page.locator('.address-whole').textContent()).toBe(url);
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await opened.getByText('paid').waitFor();
    expect(await opened.evaluate('window.opener')).toBeNull();
    expect(visits[0]).toBeUndefined();
    expect(doneIn(site.place, 'new', 'shop')).toEqual([]);
    await page.getByRole('button', { name: 'I have done it' }).click();
    await outcome(page).getByText('They say that they have done it.').waitFor();
    expect(doneIn(site.place, 'new', 'shop')).toMatchObject([{ action: 'accept', content: {} }]);
    server.close();
  });

  test('an address that looks like another one is spelled out', async () => {
    const { id } = await begin(site, asks({ name: 'twin', url: 'https://p\u0430ypal.example/login' }));
    const page = await site.open(`/c/${id}`);
    await page.locator('.address-host').getByText('xn--pypal-4ve.example').waitFor();
    expect(await page.locator('.address-whole').textContent()).toBe('https://xn--pypal-4ve.example/login');
  });

  test('a file is given to an agent; one that is too large is refused in words', async () => {
    const file = {
      prompt: 'You are Clerk',
      calls: [{ name: 'request_user_input', args: { prompt: 'Which file?', inputType: 'file' } }],
    };
    await script(site, file);
    const { id } = await begin(site, { agent: 'office/clerk', message: 'Read it' });
    const page = await site.open(`/c/${id}`);
    await page.getByText('The agent office/clerk asks').waitFor();
    await send(page).click();
    await page.getByText('Choose a file.').waitFor();
    const give = (name: string, size: number) =>
      page.getByLabel('The file').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.alloc(size, 'a') });
    await give('huge.txt', 13_000_000);
    await send(page).click();
    await page.getByText('The file has 13.0 MB. At most 12.6 MB are taken of one.').waitFor();
    await give('large.txt', 4_000_000);
    await send(page).click();
    await page.getByText('The file is too large: at most about 3.1 MB are taken here.').waitFor();
    await give('small.txt', 2_000);
    await script(site, { prompt: 'You are Clerk', ...completes('I have read it') });
    await send(page).click();
    await outcome(page).getByText('small.txt').waitFor();
    await page.locator('.item.agent').getByText('I have read it').waitFor();
  });

  test('a yes or no, and a choice, of an agent are answered with what they stand for', async () => {
    const asking = (args: Readonly<Record<string, unknown>>) => ({
      prompt: 'You are Clerk',
      calls: [{ name: 'request_user_input', args }],
    });
    await script(site, asking({ prompt: 'Go on?', inputType: 'approval' }));
    const { id } = await begin(site, { agent: 'office/clerk', message: 'Go' });
    const page = await site.open(`/c/${id}`);
    await page.getByText('A yes lets nothing run by itself').waitFor();
    await script(
      site,
      asking({ prompt: 'Which one?', inputType: 'choice', choices: ['This one', '<b>That one</b>'], required: false }),
    );
    await page.getByRole('button', { name: 'No', exact: true }).click();
    await card(page).getByText('Which one?').waitFor();
    await page.getByText('The user did not approve.').waitFor({ state: 'attached' });
    await script(site, { prompt: 'You are Clerk', ...completes('That it is') });
    await page.getByRole('button', { name: 'Leave it out' }).waitFor();
    await page.getByLabel('<b>That one</b>').check();
    await send(page).click();
    await page.getByText('That it is').waitFor();
    expect(await page.locator('.question b').count()).toBe(0);
  });

  test('the inbox lists what is asked everywhere, counts it, narrows it, and is worked through with the keyboard', async () => {
    const page = await site.open('/questions');
    await page.getByRole('heading', { name: 'Questions' }).waitFor();
    const before = await waitingNow(site);
    const first = await begin(site, asks({ name: 'listed', message: 'Listed first?', schema: one }));
    await begin(site, asks({ name: 'listed too', message: 'Where to?', url: 'https://pay.example/x' }));
    await expect.poll(() => page.title(), { timeout: 30_000 }).toBe(`(${before + 2}) Questions · Stop and Go`);
    await page.locator('.approval-row').getByText('Listed first?').waitFor();
    await page.getByRole('radio', { name: 'To open' }).check();
    await page.waitForURL(/kind=url$/);
    expect(await page.locator('.approval-row').getByText('Listed first?').count()).toBe(0);
    await page.locator('.approval-row').getByText('Where to?').waitFor();
    await page.getByRole('radio', { name: 'To answer' }).check();
    await page.waitForURL(/kind=form$/);
    await page.keyboard.press('Escape');
    await page.locator('.approval-row').getByText('Listed first?').click();
    await page.waitForURL(new RegExp(`/questions/${first.id}/${first.input}`));
    await page.getByLabel('answer', { exact: true }).fill('here');
    await page.keyboard.press('Control+Enter');
    await outcome(page)
      .getByText(/^Answered by/)
      .waitFor();
    await expect.poll(() => page.title(), { timeout: 30_000 }).toBe(`(${before + 1}) Questions · Stop and Go`);
    await page.locator('.approval-row').getByText('Listed first?').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('This question waits for no answer any more.').waitFor();
    expect(await page.getByRole('radio', { name: 'To answer' }).isChecked()).toBe(true);
  });

  test('what a hostile server asks is text, under whatever name it asks for it', async () => {
    const attack = '<img src=x onerror="window.__ran=1"><script>window.__ran=2</script>';
    const schema = {
      type: 'object',
      properties: {
        constructor: { type: 'string', title: attack, description: attack },
        toString: { type: 'string', enum: ['yes', attack], enumNames: ['No', attack] },
        'content.x: expected': { type: 'integer' },
        valueOf: { type: 'boolean' },
      },
      required: ['constructor', 'toString'],
    };
    const message = `${attack}\n\n# Approved by your administrator\n\n[click](javascript:window.__ran=3)`;
    const { id } = await begin(site, asks({ name: 'hostile', message, schema }));
    const page = await site.open(`/c/${id}`);
    await card(page).waitFor();
    expect(await card(page).locator('img, script, a, iframe, h3').count()).toBe(0);
    expect(await card(page).locator('.question-message').textContent()).toContain('[click](javascript:window.__ran=3)');
    // A label that says the opposite of what is sent has that beside it.
    expect(await card(page).locator('label', { hasText: /^No/ }).first().textContent()).toBe('Noyes');
    await send(page).click();
    expect(await page.locator('.field-problem').count()).toBe(2);
    await card(page).locator('input[type="text"], textarea').first().fill('a');
    await card(page).getByText('Noyes').click();
    await card(page).locator('input[inputmode="decimal"]').fill('7');
    await send(page).click();
    await outcome(page)
      .getByText(/^Answered by/)
      .waitFor();
    expect(doneIn(site.place, 'new', 'hostile')).toMatchObject([
      { content: { constructor: 'a', toString: 'yes', 'content.x: expected': 7 } },
    ]);
    expect(await page.evaluate('window.__ran')).toBeUndefined();
  });
});

describeInBrowser('a question while the platform is away', () => {
  let site: Site;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    site = await openAskingSite(port);
  }, 180_000);
  afterAll(() => site?.close());

  test('keeps what is written, and the answer that is sent again is given once', async () => {
    await script(site, {
      prompt: 'You are Clerk',
      calls: [{ name: 'request_user_input', args: { prompt: 'How so?' } }],
    });
    const { id } = await begin(site, { agent: 'office/clerk', message: 'Ask me' });
    const page = await site.open(`/c/${id}`);
    await page.getByLabel('Your answer').fill('Because of the rain.');
    await site.platform.end('SIGKILL');
    await page.getByText(/The platform does not answer since/).waitFor();
    await send(page).click();
    await page.getByText('What you sent may have been taken: sending it again is safe').waitFor();
    const again = await start(site.place, askingConfig(site.place, port), {
      ...{ asProcess: true, env: { STOPGO_OFFLINE_MODEL: site.model } },
    });
    try {
      await page.getByText(/The platform does not answer since/).waitFor({ state: 'detached' });
      expect(await page.getByLabel('Your answer').inputValue()).toBe('Because of the rain.');
      await script(site, { prompt: 'You are Clerk', ...completes('I see.') });
      await send(page).click();
      await outcome(page).getByText('Because of the rain.').waitFor();
      await page.locator('.item.agent').getByText('I see.').waitFor();
      expect(await page.getByRole('article').count()).toBe(1);
    } finally {
      await again.discard();
    }
  });
});

async function waitingNow(site: Site): Promise<number> {
  const [asked, decided] = await Promise.all(
    ['/inputs?limit=1', '/approvals/counts'].map(async (path) => (await fetch(`${site.platform.url}${path}`)).json()),
  );
  return (asked as { total: number }).total + (decided as { counts: { waiting: number } }).counts.waiting;
}
