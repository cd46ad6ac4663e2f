import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openSite, patienceMs, type Site, say } from './browser.ts';

/** As many as a browser opens connections to a host. */
const tabs = 6;

describeInBrowser('tabs of one browser', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  test('six at once, each on a conversation: each can send, each shows what changes elsewhere', async () => {
    const talks = await Promise.all(Array.from({ length: tabs }, () => say(site, 'list all resources')));
    const first = await site.open(`/c/${talks[0]?.id}`);
    const pages = [first];
    for (const { id } of talks.slice(1)) {
      const page = await first.context().newPage();
      await page.goto(`${site.url}/c/${id}`);
      pages.push(page);
    }
    // All of them show what was said, and take a message.
    await Promise.all(
      pages.map(async (page, index) => {
        await page.locator('.item.agent').first().waitFor();
        await page.getByRole('textbox', { name: 'Message' }).fill(`create a server tab-${index} with value ${index}`);
        await page.keyboard.press('Enter');
        await page.getByRole('article', { name: 'Call resources_add' }).waitFor();
      }),
    );
    await Promise.all(
      pages.map((page) =>
        expect.poll(() => page.title(), { timeout: patienceMs }).toBe(`(${tabs}) Chat · Stop and Go`),
      ),
    );
    // What is decided elsewhere is shown in each: of its own conversation, and in the number of what waits.
    const { approvals } = (await (await fetch(`${site.platform.url}/approvals?status=pending`)).json()) as {
      approvals: readonly { uuid: string }[];
    };
    expect(approvals).toHaveLength(tabs);
    for (const { uuid } of approvals)
      await fetch(`${site.platform.url}/approvals/${uuid}`, {
        method: 'POST',
        body: JSON.stringify({ approved: true }),
      });
    await Promise.all(
      pages.map(async (page, index) => {
        await page.getByText(`added "tab-${index}" with value ${index}`).waitFor();
        await expect.poll(() => page.title(), { timeout: patienceMs }).toBe('Chat · Stop and Go');
      }),
    );
    // A tab that is closed gives its places to others, which go on without a turn of theirs being lost.
    await first.close();
    const rest = pages.slice(1);
    await Promise.all(talks.slice(1).map(({ id }) => sayIn(id, 'list all resources')));
    await Promise.all(
      rest.map((page, index) =>
        page
          .getByText(`tab-${index + 1} = ${index + 1}`)
          .first()
          .waitFor(),
      ),
    );
  });

  const sayIn = (id: string, message: string) =>
    fetch(`${site.platform.url}/conversations/${id}/messages`, { method: 'POST', body: JSON.stringify({ message }) });
});
