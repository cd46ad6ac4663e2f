import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentsInGit } from '../e2e/git-agents.ts';
import { until } from '../e2e/http.ts';
import { resourcesConfig, start, type Workplace } from '../e2e/platform.ts';
import { freePort } from '../free-ports.ts';
import { describeInBrowser, findings, openSite, patienceMs, type Site, say, script } from './browser.ts';

/** A text that runs something where it is taken for HTML; with a character that turns its direction around. */
const hostile = '<img src=x onerror="window.__ran=1"><script>window.__ran=2</script>';
const turned = `${hostile}\u202eyojna`;

const agentFile = (name: string, more: string, says: string) =>
  `---\nname: ${JSON.stringify(name)}\ndescription: ${name.slice(0, 8)}\n${more}---\n${says} Your task: {{prompt}}\n`;

/** A platform whose agents come from git: one answers customers, and calls the one that looks after bills. */
function withAgents(place: Workplace, port: number): string {
  const agents = agentsInGit(join(place.folder, 'agents'));
  const tier1 = 'allowedAgents: [support/billing]\n';
  agents.write('support/tier1/prompt.md', agentFile('Tier 1', tier1, 'You are Tier 1.\n\n{{allowed_agents}}\n\n'));
  agents.write('support/billing/prompt.md', agentFile('Billing', 'mcpServers: [resources]\n', 'You look after bills.'));
  agents.write('support/hostile/prompt.md', agentFile(hostile, 'mcpServers: [resources]\n', 'You are hostile.'));
  agents.commit('First');
  return resourcesConfig(
    place,
    `
agent_folders: [${JSON.stringify(place.folder)}]
agent_repositories:
  - { name: main-agents, git_url: ${JSON.stringify(agents.folder)}, is_root: true, sync_interval: 1h }`,
  ).replace('port: 0', `port: ${port}`);
}

const call = (name: string, args: Readonly<Record<string, unknown>>) => ({ name, args });
const completes = (result: string) => ({
  calls: [call('complete_agent_execution', { result, status: 'SUCCESS', confidence: 1 })],
});

describeInBrowser('the run in the browser', () => {
  let site: Site;
  let config: string;
  beforeAll(async () => {
    const port = await freePort();
    site = await openSite({
      config: (place) => {
        config = withAgents(place, port);
        return config;
      },
    });
    await until(
      'the agents are synced',
      async () => {
        const { status } = await fetch(`${site.platform.url}/agents/support/hostile`);
        return status === 200 || undefined;
      },
      patienceMs * 4,
    );
  });
  afterAll(() => site?.close());

  const post = async (path: string, body: object) =>
    (await (
      await fetch(`${site.platform.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
    )
      // biome-ignore lint/suspicious/noExplicitAny: answers of several routes
      .json()) as any;
  const read = async (path: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: the same
    (await (await fetch(`${site.platform.url}${path}`)).json()) as any;
  const tree = (page: Page) => page.getByRole('tree');
  const box = (page: Page, name: string | RegExp) => tree(page).getByRole('treeitem', { name });

  test('goes through its states while somebody watches, and its parts are reached with the keyboard', async () => {
    const { id, approval } = await say(site, 'create a server watched with value 42');
    const page = await site.open(`/c/${id}`);
    await page.getByRole('link', { name: 'How it ran' }).click();
    await page.waitForURL(`**/c/${id}/run`);
    await box(page, /^resources_add Waits for people; Tool on resources, waits for an approval/).waitFor();
    await page.locator('.figures').getByText('Waits for people').waitFor();

    // From the agent to its call, and to what is known of it, with the way to decide.
    await box(page, /^tested /).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByRole('heading', { name: 'resources_add' }).waitFor();
    expect(await details.locator('.arguments').textContent()).toContain('watched');
    expect(await details.getByRole('link', { name: 'Show the approval' }).first().getAttribute('href')).toBe(
      `/approvals/${approval}`,
    );
    await page.keyboard.press('Escape');
    await expect
      .poll(() => page.evaluate('document.activeElement?.getAttribute("aria-label")'))
      .toMatch(/^resources_add/);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.evaluate('document.activeElement?.getAttribute("aria-label")')).toMatch(/^tested/);

    await post(`/approvals/${approval}`, { approved: true, by: 'ada' });
    await box(page, /^resources_add Done · \d+ m?s/).waitFor();
    await page.locator('.figures').getByText('Completed').waitFor();
    await box(page, /^resources_add/).click();
    await details.getByText('approved, by “ada” (unverified)').waitFor();
    await page.getByRole('link', { name: 'Conversation', exact: true }).click();
    await page.waitForURL(`**/c/${id}`);
  });

  test('shows agents that call agents, as the platform lists them', async () => {
    const id = await support();
    const page = await site.open(`/c/${id}/run`);
    const asserts = async () => {
      const { steps } = await read(`/runs/${id}/steps`);
      const words: Record<string, string> = {
        ...{ BLOCKED_ON_INPUT: 'Waits for people', BLOCKED_ON_DEPENDENCY: 'Waits for an agent' },
        ...{ WORKING: 'Running', COMPLETED: 'Done' },
      };
      for (const { agent, state, usage, input, id: step } of steps) {
        await box(page, new RegExp(`^${agent} ${words[state]}.*; Agent`)).click();
        const details = page.getByRole('region', { name: 'Details' });
        await details.getByRole('heading', { name: agent }).waitFor();
        const told = await details.textContent();
        const used = `${usage.input_tokens.toLocaleString('en')} tokens in, ${usage.output_tokens.toLocaleString('en')} out`;
        expect(told, step).toContain(`Used itself${used}`);
        expect(told, step).toContain(input);
      }
      expect(steps).toHaveLength(2);
      return steps;
    };
    await box(page, /^resources_add/).waitFor();
    await asserts();
    const { conversation } = await read(`/conversations/${id}`);
    await post(`/approvals/${conversation.pending_approvals[0].uuid}`, { approved: true });
    await page.locator('.figures').getByText('Completed').waitFor();
    const [root] = await asserts();
    expect(root.state).toBe('COMPLETED');

    // The table says the same.
    await page.getByRole('radio', { name: 'Table' }).click();
    await page.getByRole('row').nth(1).waitFor();
    const rows = await page.getByRole('row').allTextContents();
    expect(rows.slice(1)).toEqual([
      expect.stringMatching(/support\/tier1.*Done/),
      expect.stringMatching(/support\/billing.*Done/),
      expect.stringMatching(/resources_add.*Done/),
    ]);
    await page.getByRole('button', { name: 'resources_add' }).press('Enter');
    await page.getByRole('dialog', { name: 'Details' }).getByText('b-1').first().waitFor();
  });

  test('goes back to any revision and forward again, and the address says which', async () => {
    const { id, approval } = await say(site, 'create a server earlier with value 3');
    await post(`/approvals/${approval}`, { approved: true, by: 'ada' });
    const { conversation } = await read(`/conversations/${id}`);
    const last = conversation.revision as number;
    const page = await site.open(`/c/${id}/run`);
    await page.getByText(`Now, at revision ${last}`).waitFor();
    const slider = page.getByRole('slider', { name: 'Revision' });
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText(`You look at the past: revision 1 of ${last}`).waitFor();
    await page.waitForURL(/\?revision=1$/);
    // Nothing is shown of what had not happened then.
    await page.getByText('No run had begun by then.').waitFor();

    const asked = await revisionOf(page, id, 'approval_requested');
    await page.goto(`${site.url}/c/${id}/run?revision=${asked}`);
    await box(page, /^resources_add.*Waits for people/).waitFor();
    await page.getByRole('radio', { name: 'Conversation' }).click();
    await page.waitForURL(new RegExp(`view=conversation&revision=${asked}$`));
    const card = page.getByRole('article', { name: 'Call resources_add' });
    await card.getByText('Waited for a decision then').waitFor();
    expect(
      await page
        .locator('.as-it-stood')
        .getByRole('button', { name: /Approve|Reject/ })
        .count(),
    ).toBe(0);
    expect(await page.locator('.as-it-stood').textContent()).not.toContain('added "earlier"');

    const decided = await revisionOf(page, id, 'approval_resolved');
    for (let at = asked; at < decided; at += 1) await page.getByRole('button', { name: 'One event later' }).click();
    await page.locator('.as-it-stood').getByText('“ada” (unverified) approved resources_add').waitFor();
    await card.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.locator('.as-it-stood').getByText('added "earlier" with value 3').waitFor();
    await page.waitForURL(/view=conversation$/);
    // The way back of the browser leads to where one was.
    await page.goBack();
    await page.getByText('You look at the past').waitFor();
  });

  test('tells every event in plain words, of one kind if somebody wants that', async () => {
    const { id, approval } = await say(site, 'create a server told with value 3');
    await post(`/approvals/${approval}`, { approved: false, by: 'ada', reason: 'not today' });
    const page = await site.open(`/c/${id}/run?view=timeline`);
    const { conversation } = await read(`/conversations/${id}`);
    await expect.poll(() => page.locator('.event').count()).toBe(conversation.revision);
    await page.getByRole('radio', { name: 'Decisions' }).click();
    await expect
      .poll(() => page.locator('.event-text').allTextContents())
      .toEqual([
        expect.stringMatching(/^“ada” \(unverified\) rejected resources_add/),
        'An approval is asked for: resources_add',
      ]);
    // The keys go from one to the next of those that are shown.
    await page.keyboard.press('j');
    await page.locator('.event.is-current').getByText('An approval is asked for').waitFor();
    await page.keyboard.press('k');
    const chosen = page.locator('.event.is-current');
    await chosen.getByText('ada – claimed, nobody has verified it, over the API').waitFor();
    await chosen.getByRole('button', { name: 'Show the conversation as it stood' }).click();
    await page.locator('.as-it-stood').getByText('create a server told with value 3').waitFor();
  });

  test('has the record checked, and says what the platform says', async () => {
    const { id } = await say(site, 'list all resources');
    const page = await site.open(`/c/${id}/run?view=timeline`);
    await page.getByRole('button', { name: 'Verify' }).click();
    const { events, head } = await read(`/conversations/${id}/verification`);
    const verdict = page.locator('.verdict');
    await verdict.getByText(`${events} events were checked.`).waitFor();
    expect(await verdict.textContent()).toContain(head.hash);
    await page.route('**/verification', (route) =>
      route.fulfill({
        contentType: 'application/json',
        body: JSON.stringify({
          ...{ sound: false, events: 2, problems: ['event 3 is <b>altered</b>'], verified_at: '2026-01-01T00:00:00Z' },
        }),
      }),
    );
    await page.getByRole('button', { name: 'Verify' }).click();
    await verdict.getByText('The record is not sound').waitFor();
    await verdict.getByText('event 3 is <b>altered</b>').waitFor();
    await verdict.getByText(new RegExp(`shown ${events} events, and the record holds 2`)).waitFor();
  });

  test('gives the record as a file: the one that the platform gives, or none', async () => {
    const { id } = await say(site, 'list all resources');
    const page = await site.open(`/c/${id}/run?view=timeline`);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`conversation-${id}.json`);
    const given = await (await fetch(`${site.platform.url}/conversations/${id}/export`)).text();
    expect(readFileSync(await file.path(), 'utf8')).toBe(given);
    await page.getByText(new RegExp(`Saved as conversation-${id}\\.json, [\\d.]+ KiB`)).waitFor();

    // A file that breaks off is none.
    await page.route('**/export', (route) => route.abort('connectionreset'));
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByText('Nothing was saved.').waitFor();
  });

  test('draws two hundred parts, and each can be reached', async () => {
    // An answer of a model asks for 32 calls at most.
    for (const calls of [29, 29, 29, 29, 29, 27, 27])
      await script(site, { calls: Array.from({ length: calls }, () => call('resources_list', {})) });
    const { id } = await say(site, 'look two hundred times');
    const page = await site.open(`/c/${id}/run`);
    await expect.poll(() => tree(page).getByRole('treeitem').count(), { timeout: patienceMs }).toBe(200);
    await tree(page).getByRole('treeitem').first().focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByRole('heading', { name: 'resources_list' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement?.getAttribute("data-place")')).toBe('199');
  });

  test('keeps hostile names inert, and shows what they hide', async () => {
    await script(site, { prompt: 'You are hostile', calls: [call('resources_add', { name: turned, value: 1 })] });
    const { conversation } = await post('/conversations', { agent: 'support/hostile', message: turned });
    const page = await site.open(`/c/${conversation.id}/run`);
    await box(page, /^resources_add/).click();
    for (const view of ['Table', 'Timeline', 'Conversation', 'Graph']) {
      await page.getByRole('radio', { name: view }).click();
      await page.locator('.run-page').getByText('onerror').first().waitFor();
      expect(await page.locator('.run-page').locator('img, script, iframe').count()).toBe(0);
      expect(await page.locator('.run-page').textContent()).not.toContain('\u202e');
    }
    expect(await page.evaluate('window.__ran')).toBeUndefined();
  });

  test('says that there is no such run, or revision', async () => {
    const { id } = await say(site, 'list all resources');
    const page = await site.open(`/c/${id}/run?run=none&revision=9999`);
    await page.getByText('There is no revision 9999.').waitFor();
    await page.getByText('there is none').waitFor();
    await page.goto(`${site.url}/c/00000000-0000-4000-8000-000000000000/run`);
    await page.getByRole('heading', { name: 'This run cannot be shown' }).waitFor();
  });

  test('axe finds nothing in light, in dark and on a phone, and nothing is wider than the page', async () => {
    const id = await support();
    const page = await site.open(`/c/${id}/run`);
    await box(page, /^resources_add/).click();
    await page.getByText('What it was given').waitFor();
    const arrive: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['', () => box(page, /^resources_add/).waitFor()],
      ['?view=table', () => page.getByRole('row').nth(2).waitFor()],
      ['?view=timeline&revision=9', () => page.locator('.event.is-current').waitFor()],
      ['?view=conversation&revision=11', () => page.locator('.as-it-stood .card').waitFor()],
    ];
    expect(await findings(page), 'details').toEqual([]);
    for (const [query, isHere] of arrive) {
      await page.goto(`${site.url}/c/${id}/run${query}`);
      await isHere();
      expect(await findings(page), query).toEqual([]);
    }
    await page.context().close();
  });

  test('is killed under an open page, and the page goes on when it is back', async () => {
    const { id, approval } = await say(site, 'create a server survivor with value 3');
    const page = await site.open(`/c/${id}/run`);
    await box(page, /^resources_add.*Waits for people/).waitFor();
    await site.platform.end('SIGKILL');
    await page.getByText(/The platform does not answer since/).waitFor();
    // What is known is still there, and can be looked back at.
    await page.getByRole('button', { name: 'One event earlier' }).click();
    await page.getByText('You look at the past').waitFor();
    await page.getByRole('button', { name: 'Back to now' }).click();
    const again = await start(site.place, config, {
      ...{ asProcess: true, env: { STOPGO_OFFLINE_MODEL: site.model } },
    });
    try {
      await page.getByText(/The platform does not answer since/).waitFor({ state: 'detached' });
      await fetch(`${again.url}/approvals/${approval}`, { method: 'POST', body: '{"approved":true,"by":"ada"}' });
      await box(page, /^resources_add.*Done/).waitFor();
      await page.locator('.figures').getByText('Completed').waitFor();
      expect(await tree(page).getByRole('treeitem').count()).toBe(2);
    } finally {
      await again.discard();
    }
  });

  /** A conversation in which one agent has called another, and what that would do waits. */
  async function support(): Promise<string> {
    // What a run before has left of its script is none of this one.
    await fetch(`${site.model}/__script`, { method: 'DELETE' });
    const asksBilling = call('call_agent', { agent_name: 'support/billing', input: 'Pay the bill b-1 back' });
    for (const step of [
      { prompt: 'Tier 1', calls: [asksBilling] },
      { prompt: 'look after bills', calls: [call('resources_add', { name: 'b-1', value: 299 })] },
      { prompt: 'look after bills', ...completes('Full refund') },
      { prompt: 'Tier 1', ...completes('Your refund has been processed.') },
    ])
      await script(site, step);
    const { conversation } = await post('/conversations', { agent: 'support/tier1', message: 'Cancel my order' });
    return conversation.id;
  }
});

/** Where the record has the first event of a type, as the timeline shows it. */
async function revisionOf(page: Page, id: string, type: string): Promise<number> {
  const events = await page.evaluate(`(async () => {
    const left = new AbortController();
    const { body } = await fetch('/api/conversations/${id}/events', { signal: left.signal });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('event: ${type}\\n')) text += (await reader.read()).value;
    left.abort();
    return text;
  })()`);
  return Number(new RegExp(`id: (\\d+)\\nevent: ${type}\\n`).exec(String(events))?.[1]);
}
