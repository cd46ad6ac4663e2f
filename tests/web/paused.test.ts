import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentsInGit } from '../e2e/git-agents.ts';
import { until } from '../e2e/http.ts';
import { resourcesConfig, type Workplace } from '../e2e/platform.ts';
import { begin, completes } from './asking.ts';
import { describeInBrowser, findings, openSite, type Site, say, script } from './browser.ts';

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

/** An agent that may use one token, and so is paused after its first turn. */
function thriftyConfig(place: Workplace): string {
  const folder = join(place.folder, 'agents');
  const agents = agentsInGit(folder);
  const head = 'name: Thrifty\ndescription: Looks\nmcpServers: [resources]\nmaxTokens: 1';
  agents.write('thrifty/prompt.md', `---\n${head}\n---\nYou are Thrifty. Your task: {{prompt}}\n`);
  agents.commit('An agent');
  const repository = `{ name: agents, git_url: ${JSON.stringify(folder)}, is_root: true, sync_interval: 1h }`;
  const more = `agent_folders: [${JSON.stringify(place.folder)}]\nagent_repositories: [${repository}]`;
  return resourcesConfig(place, more);
}

describeInBrowser('a run that is paused at a limit', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ config: thriftyConfig });
    const isKnown = async () => (await fetch(`${site.platform.url}/agents/thrifty`)).status === 200 || undefined;
    await until('the agent is known', isKnown);
  }, 120_000);
  afterAll(() => site?.close());

  test('shows what is used up, refuses a limit below that, and goes on with the one that somebody names', async () => {
    const looks = { prompt: 'You are Thrifty', calls: [{ name: 'resources_list', args: {} }] };
    for (const step of [looks, { prompt: 'You are Thrifty', ...completes('Looked twice.') }]) await script(site, step);
    const { id } = await begin(site, { agent: 'thrifty', message: 'Look' });
    const page = await site.open(`/c/${id}`);
    const card = page.getByRole('region', { name: 'An agent has used what it may' });
    await card.getByText(/^It has used [\d,]+ tokens of 1 token\.$/).waitFor();
    await card.getByRole('button', { name: 'Name a limit…' }).click();
    const field = card.getByLabel('Tokens in all');
    await field.fill('1');
    await card.getByRole('button', { name: 'Resume with it' }).click();
    await card.getByText(/^Write more than [\d,]+ tokens/).waitFor();
    expect(await card.locator('input:focus').getAttribute('name')).toBe('max_tokens');
    expect(await findings(page)).toEqual([]);
    await field.fill('50,000');
    await card.getByRole('button', { name: 'Resume with it' }).click();
    await page.getByText('Looked twice.').first().waitFor();
    await page.getByText(/let the run go on: the agent thrifty may use up to 50,000 tokens\.$/).waitFor();
    expect(await card.count()).toBe(0);
  });
});
