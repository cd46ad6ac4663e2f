import { afterAll, beforeAll, expect, test } from 'vitest';
import { begin, completes, openAskingSite } from './asking.ts';
import { describeInBrowser, type Site, script } from './browser.ts';

const asksCashier = {
  ...{ prompt: 'You are Clerk', text: 'I ask the cashier.' },
  calls: [{ name: 'call_agent', args: { agent_name: 'office/cashier', input: 'Pay <b>bill</b> b-1' } }],
};
const pays = {
  ...{ prompt: 'You are Cashier', text: 'I enter it.' },
  calls: [{ name: 'resources_add', args: { name: 'b-1', value: 299 } }],
};

describeInBrowser('agents that call agents', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openAskingSite();
  }, 180_000);
  afterAll(() => site?.close());

  test('the work of a called agent stands folded in its place: whose it is, what it was asked, did and gave back', async () => {
    for (const step of [asksCashier, pays]) await script(site, step);
    const { id } = await begin(site, { agent: 'office/clerk', message: 'Pay my bill' });
    const page = await site.open(`/c/${id}`);
    const line = page.locator('details.agent-call');
    await line.locator('.agent-name').getByText('office/cashier').waitFor();
    await line.getByText('waits for people').waitFor();
    expect(await line.locator('.agent-commit').textContent()).toMatch(/^[0-9a-f]{12}$/);
    // What waits for people is not folded away, and says through which agents it comes.
    const card = page.getByRole('article', { name: 'Call resources_add' });
    expect(await card.getByText('office/clerk → office/cashier').count()).toBe(1);
    expect(await line.getByText('I enter it.').isVisible()).toBe(false);
    await line.locator('summary').first().click();
    await line.getByText('Pay <b>bill</b> b-1').waitFor();
    // Told apart from what the main agent says, also for those who do not see the page.
    expect(await line.getByText('I enter it.').count()).toBe(1);
    expect(await line.getByText('I ask the cashier.').count()).toBe(0);
    expect(await line.locator('.item.agent').first().textContent()).toContain('The agent office/cashier: ');
    expect(await line.getByText('resources_add').count()).toBe(1);

    const asksMore = {
      prompt: 'You are Cashier',
      calls: [{ name: 'request_user_input', args: { prompt: 'Is it paid?', inputType: 'approval' } }],
    };
    await script(site, asksMore);
    await card.getByRole('button', { name: 'Approve' }).click();
    await line.getByText(/approved resources_add/).waitFor();
    const question = page.getByRole('article', { name: 'The agent office/cashier asks' });
    await question.waitFor();
    expect(await line.locator('.question').count()).toBe(0);
    await script(site, { prompt: 'You are Cashier', ...completes('Paid, with receipt 7.') });
    await script(site, { prompt: 'You are Clerk', ...completes('Your bill is paid.') });
    await question.getByRole('button', { name: 'Yes' }).click();
    // The answer of the run is that of the main agent.
    await page.locator('.items.group > .item.agent').getByText('Your bill is paid.').waitFor();
    await line
      .getByText(/^done in/)
      .first()
      .waitFor();
    await line.getByText('What it gave back: it says that its task is done').waitFor();
    await line.getByText('Paid, with receipt 7.').waitFor();
    expect(await page.locator('.items.group > .item.agent').getByText('Paid, with receipt 7.').count()).toBe(0);
  });
});
