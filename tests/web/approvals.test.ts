import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openSite, type Site, say } from './browser.ts';

describeInBrowser('approvals in the browser', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site?.close());

  test('two people decide at once: one wins, and the other is told who and when, without a reload', async () => {
    const { approval } = await say(site, 'create a server both with value 1');
    const tabs = await Promise.all(['Ada', 'Ben'].map(() => site.open(`/approvals/${approval}`)));
    for (const [index, tab] of tabs.entries()) {
      await tab.evaluate(`localStorage.setItem('stopgo.name', '${['Ada', 'Ben'][index]}')`);
      await tab.getByRole('button', { name: 'Approve' }).waitFor();
    }
    // Both have pressed before either has heard of the other.
    await Promise.all(tabs.map((tab) => tab.getByRole('button', { name: 'Approve' }).click({ noWaitAfter: true })));
    const told = await Promise.all(
      tabs.map(async (tab) => {
        const outcome = tab.locator('.card-outcome p');
        await outcome.waitFor();
        return (await outcome.textContent())?.trim();
      }),
    );
    expect(told[0]).toMatch(/^Approved by “(Ada|Ben)” \(unverified name\) at \d/);
    expect(told[1]).toBe(told[0]);
    const { approval: decided } = (await (await fetch(`${site.platform.url}/approvals/${approval}`)).json()) as {
      approval: { decided_by: string };
    };
    expect(told[0]).toContain(decided.decided_by);
  });

  test('the inbox follows what is asked and decided elsewhere, and is worked through with the keyboard', async () => {
    const page = await site.open('/approvals');
    await page.getByText('Nothing waits').first().waitFor();
    const first = await say(site, 'create a server key-1 with value 1');
    const second = await say(site, 'create a server key-2 with value 2');
    await expect.poll(() => page.locator('.approval-row').count()).toBe(2);
    await expect.poll(() => page.title()).toBe('(2) Approvals · Stop and Go');

    await page.keyboard.press('j');
    await page.waitForURL(new RegExp(`/approvals/${first.approval}$`));
    await page.getByRole('article').waitFor();
    // A key alone decides nothing.
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Yes, approve' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Yes, approve' }).waitFor({ state: 'detached' });
    expect(await stateOf(site, first.approval)).toBe('pending');
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page
      .locator('.card-outcome')
      .getByText(/^\s*Approved by/)
      .waitFor();

    await page.keyboard.press('j');
    await page.waitForURL(new RegExp(`/approvals/${second.approval}$`));
    await page.keyboard.press('r');
    await page.keyboard.type('not this one');
    await page.keyboard.press('Enter');
    await page.locator('.card-outcome').getByText('“not this one”').waitFor();
    await expect.poll(() => page.title()).toBe('Approvals · Stop and Go');
    expect(await stateOf(site, second.approval)).toBe('rejected');
  });

  test('arguments are changed digit by digit, with what is different before and after', async () => {
    const { id, approval } = await say(site, 'create a server edited with value 1');
    const page = await site.open(`/approvals/${approval}`);
    await page.getByRole('button', { name: 'Change…' }).click();
    const area = page.getByLabel('Arguments, as JSON');
    await area.fill('{"name": ');
    await page.getByText(/This is no JSON/).waitFor();
    // Shown as it is written; the platform takes no number that it could not keep exactly, and says so.
    await area.fill('{"name": "edited", "value": 9007199254740993}');
    await page.locator('.diff-line.new').getByText('9007199254740993').waitFor();
    await page.locator('.diff-line.gone').getByText('"value": 1').waitFor();
    await page.getByRole('button', { name: 'Approve with these arguments' }).click();
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: /\w/ }).waitFor();
    expect(await stateOf(site, approval)).toBe('pending');
    await area.fill('{"name": "edited", "value": 4200}');
    await page.getByRole('button', { name: 'Approve with these arguments' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await changedTo(site, id)).toContain(String.raw`\"value\":4200`);
  });

  test('a filter is in the address, and a reload keeps it', async () => {
    const { approval } = await say(site, 'remove nothing-*');
    await fetch(`${site.platform.url}/approvals/${approval}`, { method: 'POST', body: '{"approved":false}' });
    const page = await site.open('/approvals');
    await page.getByRole('radio', { name: 'Rejected' }).click();
    await page.getByRole('textbox', { name: 'Tool' }).fill('remove');
    await page.waitForURL(/\?status=rejected&tool=remove$/);
    await expect.poll(() => page.locator('.approval-row').count()).toBe(1);
    await page.reload();
    await expect.poll(() => page.locator('.approval-row').count()).toBe(1);
    expect(await page.getByRole('radio', { name: 'Rejected' }).getAttribute('aria-checked')).toBe('true');
  });
});

async function stateOf(site: Site, approval: string | undefined): Promise<string> {
  const answer = await fetch(`${site.platform.url}/approvals/${approval}`);
  return ((await answer.json()) as { approval: { status: string } }).approval.status;
}

/** What the log has as changed arguments, exactly as written. */
async function changedTo(site: Site, id: string): Promise<string> {
  const left = new AbortController();
  const stream = await fetch(`${site.platform.url}/conversations/${id}/events`, { signal: left.signal });
  const reader = stream.body?.getReader();
  let text = '';
  while (!text.includes('event: call_edited')) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    text += new TextDecoder().decode(piece.value);
  }
  left.abort();
  return text;
}
