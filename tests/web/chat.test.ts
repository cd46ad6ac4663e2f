import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openSite, patienceMs, type Site, say } from './browser.ts';

describeInBrowser('a conversation in the browser', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  test('is begun, stops before the tool runs, and goes on once somebody has approved', async () => {
    const page = await site.open('/');
    await page.getByRole('textbox', { name: 'Message' }).fill('create a server story-1 with value 42');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/c\/[0-9a-f-]{36}$/);
    const card = page.getByRole('article', { name: 'Call resources_add' });
    await card.waitFor();
    expect(await card.textContent()).toMatch(/namestory-1value42/);
    await expect.poll(() => page.title()).toBe('(1) Chat · Stop and Go');
    await card.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('added "story-1" with value 42').waitFor();
    await expect.poll(() => page.title()).toBe('Chat · Stop and Go');
    // What ran stands folded in its place.
    await page.getByText('resources_add', { exact: true }).click();
    await page.getByText('What came back').waitFor();

    // A second message goes to the same conversation, and a reload loses nothing.
    const address = page.url();
    await page.getByRole('textbox', { name: 'Message' }).fill('list all resources');
    await page.keyboard.press('Enter');
    await page.getByText('story-1 = 42').waitFor();
    expect(page.url()).toBe(address);
    await page.getByRole('textbox', { name: 'Message' }).fill('not sent yet');
    await page.reload();
    await page.getByText('story-1 = 42').waitFor();
    await page.getByText('added "story-1" with value 42').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('not sent yet');
  });

  test('stays in step in a second tab, and is found by its words', async () => {
    const { id } = await say(site, 'create a server in-step with value 7');
    const [one, other] = [await site.open(`/c/${id}`), await site.open(`/c/${id}`)];
    await one.getByRole('button', { name: 'Reject' }).click();
    await one.getByLabel(/^Why\?/).fill('wrong number');
    await one.getByRole('button', { name: 'Yes, reject' }).click();
    await other.getByText(/rejected resources_add\. .wrong number/).waitFor();
    await other.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
    await other.getByRole('searchbox').fill('in-step');
    await expect.poll(() => other.locator('.conversation-row').count(), { timeout: patienceMs }).toBe(1);
  });

  test('is begun once, also if the answer was lost and it is sent again', async () => {
    const page = await site.open('/');
    // The platform takes it, and the page is not told.
    await page.route(
      '**/api/conversations',
      async (route) => {
        await route.fetch();
        await route.fulfill({ status: 502, contentType: 'application/json', body: '{"error":"not reached"}' });
      },
      // As often as the page sends it by itself.
      { times: 3 },
    );
    await page.getByRole('textbox', { name: 'Message' }).fill('list all resources once');
    await page.keyboard.press('Enter');
    await page.getByText('may have been taken: sending it again is safe').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForURL(/\/c\/[0-9a-f-]{36}$/);
    const found = await fetch(`${site.platform.url}/conversations?q=${encodeURIComponent('list all resources once')}`);
    const { conversations } = (await found.json()) as { conversations: readonly { id: string }[] };
    expect(conversations.map(({ id }) => `/c/${id}`)).toEqual([new URL(page.url()).pathname]);
  });

  test('is canceled', async () => {
    const { id } = await say(site, 'create a server never with value 1');
    const page = await site.open(`/c/${id}`);
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText(/canceled the run/).waitFor();
  });
});
