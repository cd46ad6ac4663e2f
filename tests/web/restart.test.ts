import { afterAll, beforeAll, expect, test } from 'vitest';
import { resourcesConfig, start } from '../e2e/platform.ts';
import { freePort } from '../free-ports.ts';
import { describeInBrowser, openSite, type Site, say, script } from './browser.ts';

describeInBrowser('a page that stays open', () => {
  let site: Site;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    site = await openSite({ config: (place) => onPort(resourcesConfig(place), port) });
  });
  afterAll(() => site?.close());

  test('shows an answer while it is being written', async () => {
    const { id } = await say(site, 'list all resources');
    await script(site, {
      text: 'The first half is here. The second half comes later, after some more words that fill it.',
      stallStream: true,
    });
    const page = await site.open(`/c/${id}`);
    await page.locator('.item.agent').first().waitFor();
    const before = await page.locator('.item.agent').count();
    await page.getByRole('textbox', { name: 'Message' }).fill('stall');
    await page.keyboard.press('Enter');
    await page
      .locator('.is-writing')
      .getByText(/^The first/)
      .waitFor();
    await fetch(`${site.model}/__release`, { method: 'POST' });
    await page
      .locator('.item.agent:not(.is-writing)')
      .getByText('The second half comes later, after some more words that fill it.')
      .waitFor();
    expect(await page.locator('.item.agent').count()).toBe(before + 1);
  });

  test('says that the platform was killed, and goes on by itself when it is back', async () => {
    const { id, approval } = await say(site, 'create a server survivor with value 3');
    const page = await site.open(`/c/${id}`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await site.platform.end('SIGKILL');
    await page.getByText(/The platform does not answer since/).waitFor();
    // What is decided now is not lost in silence.
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('What you sent may have been taken: sending it again is safe').waitFor();

    const again = await start(site.place, onPort(resourcesConfig(site.place), port), {
      ...{ asProcess: true, env: { STOPGO_OFFLINE_MODEL: site.model } },
    });
    try {
      await page.getByText(/The platform does not answer since/).waitFor({ state: 'detached' });
      await fetch(`${again.url}/approvals/${approval}`, { method: 'POST', body: '{"approved":true,"by":"ada"}' });
      await page.locator('.items').getByText('added "survivor" with value 3').waitFor();
      // Each event is shown once, however often the stream was opened.
      expect(await page.locator('.items').getByText('create a server survivor with value 3').count()).toBe(1);
    } finally {
      await again.discard();
    }
  });
});

const onPort = (config: string, port: number): string => config.replace('port: 0', `port: ${port}`);
