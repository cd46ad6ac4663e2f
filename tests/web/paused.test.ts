import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openSite, type Site, say } from './browser.ts';

describeInBrowser('a paused run', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  }, 120_000);
  afterAll(() => site?.close());

  test('says who has paused it and why, takes decisions meanwhile, and goes on with a press in every tab', async () => {
    const { id, approval } = await say(site, 'create a server halted with value 3');
    await fetch(`${site.platform.url}/runs/${id}/pause`, {
      ...{ method: 'POST', headers: { 'x-approver': 'Ada' }, body: '{"reason":"<b>Let me look</b>"}' },
    });
    const [page, other] = [await site.open(`/c/${id}`), await site.open(`/c/${id}`)];
    const card = page.getByRole('region', { name: 'The run is paused' });
    await card.getByText('“Ada” (unverified) has paused it').waitFor();
    await card.getByText('<b>Let me look</b>').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText(/approved resources_add/).waitFor();
    const { approval: decided } = (await (await fetch(`${site.platform.url}/approvals/${approval}`)).json()) as {
      approval: { status: string };
    };
    expect(decided.status).toBe('approved');
    // It is paused still: nothing ran.
    expect(await card.count()).toBe(1);
    expect(await page.getByText('added "halted" with value 3').count()).toBe(0);
    await other.getByRole('button', { name: 'Resume' }).click();
    for (const tab of [page, other]) {
      await tab.getByText('added "halted" with value 3').waitFor();
      expect(await tab.getByRole('region', { name: 'The run is paused' }).count()).toBe(0);
    }
  });
});
