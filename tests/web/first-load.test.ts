import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openSite, type Site } from './browser.ts';

/** What a first visit may load, in bytes as they are sent. */
const firstLoadMax = 250_000;

describeInBrowser('the first visit', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  test('loads little, and the second one next to nothing', async () => {
    const page = await site.open('/nowhere');
    await page.getByText('There is nothing here').waitFor();
    const loaded = await sizes(page);
    expect(loaded.map(({ name }) => name)).toEqual(
      expect.arrayContaining([expect.stringMatching(/\/assets\/index-.*\.js$/)]),
    );
    const bytes = loaded.reduce((sum, { sent }) => sum + sent, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(firstLoadMax);

    await page.reload();
    await page.getByText('There is nothing here').waitFor();
    const again = (await sizes(page)).filter(({ name }) => name.includes('/assets/'));
    expect(again.reduce((sum, { sent }) => sum + sent, 0)).toBe(0);
  });
});

type Loaded = { readonly name: string; readonly sent: number };

/** Everything that the page has loaded, with the bytes that came over the wire. */
const sizes = (page: Awaited<ReturnType<Site['open']>>): Promise<readonly Loaded[]> =>
  page.evaluate(`[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(({ name }) => !name.includes('/api/'))
    .map(({ name, transferSize }) => ({ name, sent: transferSize }))`);
