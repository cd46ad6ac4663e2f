import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openSite, patienceMs, type Site } from './browser.ts';
import { countingWork, laidOut, workDone } from './work-counted.ts';
import { startWritingModel, type WritingModel } from './writing-model.ts';

// What is counted here is work that must not grow with what there is to show. How long it takes is for `npm run bench:web`.

/** A screen holds a dozen; what is near it is made ready. Of a thousand, this is little. */
const nearMax = 120;

describeInBrowser('a conversation of 1,000 messages', () => {
  const turns = 500;
  let site: Site;
  let model: WritingModel;
  let id: string;
  beforeAll(async () => {
    model = await startWritingModel((message) => `The **total** of ${message.split(' ').at(-1)} is \`37\`.`);
    site = await openSite({ start: { env: model.env } });
    const post = async (path: string, body: object) => {
      const sent = { method: 'POST', headers: { Prefer: 'return=minimal' }, body: JSON.stringify(body) };
      return (await (await fetch(`${site.platform.url}${path}`, sent)).json()) as { conversation: { id: string } };
    };
    id = (await post('/conversations', {})).conversation.id;
    for (let turn = 0; turn < turns; turn += 1)
      await post(`/conversations/${id}/messages`, { message: `What of section-${turn}` });
  });
  afterAll(async () => {
    await site?.close();
    model?.stop();
  });

  test('lays out what is near the screen, and reads as Markdown what was near it', async () => {
    const page = await site.open(`/c/${id}`);
    await page.getByText(`The total of section-${turns - 1} is`).waitFor();
    // All of it is there, to be found and to be read out.
    await expect.poll(() => page.locator('.item').count(), { timeout: patienceMs }).toBe(2 * turns);
    const read = () => page.locator('.item.agent strong').count();
    expect(await laidOut(page, '.item')).toBeLessThan(nearMax);
    expect(await read()).toBeLessThan(turns - nearMax);

    const first = page.locator('.item.agent').first();
    expect(await first.textContent()).toContain('The **total** of section-0 is');
    await page.getByRole('region', { name: 'Conversation' }).focus();
    await page.keyboard.press('Home');
    await first.locator('strong').waitFor();
    await expect
      .poll(() => laidOut(page, '.items.group:first-child > .item'), { timeout: patienceMs })
      .toBeGreaterThan(0);
    expect(await laidOut(page, '.item')).toBeLessThan(nearMax);
    expect(await read()).toBeLessThan(turns);
  });

  test('an answer that is written is work for what is written last, not for what was said before', async () => {
    const page = await site.open(`/c/${id}`, { first: countingWork });
    await page.getByText(`The total of section-${turns - 1} is`).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('write for long');
    await page.keyboard.press('Enter');
    const paragraphs = 60;
    const show = async (number: number) => {
      await model.piece(`And *so* on, with **paragraph** \`${number}\`.\n\n`);
      await page.locator('.is-writing code', { hasText: new RegExp(`^${number}$`) }).waitFor();
    };
    await show(0);
    const before = await workDone(page);
    for (let number = 1; number <= paragraphs; number += 1) await show(number);
    const after = await workDone(page);
    const commits = after.commits - before.commits;
    expect(commits).toBeGreaterThanOrEqual(paragraphs);
    expect((after.parts - before.parts) / commits).toBeLessThan(90);
    await model.end();
    await page.locator('.item.agent:not(.is-writing) code', { hasText: new RegExp(`^${paragraphs}$`) }).waitFor();
  });
});

describeInBrowser('an inbox with more than is shown at once', () => {
  const waiting = 1_250;
  const atOnce = 10;
  let site: Site;
  const ask = async (name: string) => {
    const sent = {
      method: 'POST',
      headers: { Prefer: 'return=minimal' },
      body: JSON.stringify({ message: `create a server ${name} with value 1` }),
    };
    const answer = await fetch(`${site.platform.url}/conversations`, sent);
    expect(answer.status).toBe(201);
    await answer.body?.cancel();
  };
  beforeAll(async () => {
    site = await openSite();
    let next = 0;
    const work = async () => {
      for (let index = next++; index < waiting; index = next++) await ask(`one-${index}`);
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  });
  afterAll(() => site?.close());

  test('is shown page after page, without an end; a change is work for its own row, and asks for no page again', async () => {
    const page = await site.open('/approvals', { first: countingWork });
    const lists: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/approvals?')) lists.push(new URL(request.url()).search);
    });
    const rows = page.locator('.approval-row');
    const count = (number: number) => page.locator('.head-note', { hasText: `${number.toLocaleString('en')} waiting` });
    await count(waiting).waitFor();
    // What a list of the platform may hold at most is passed.
    for (let shown = 100; shown < 1_200; shown += 100) {
      await expect.poll(() => rows.count(), { timeout: patienceMs }).toBe(shown);
      await page.locator('.inbox > .link-button').click();
    }
    await expect.poll(() => rows.count(), { timeout: patienceMs }).toBe(1_200);
    expect(await laidOut(page, '.approval-row .row-title')).toBeLessThan(nearMax);

    lists.length = 0;
    const before = await workDone(page);
    await ask('one-more');
    await count(waiting + 1).waitFor();
    const { approvals } = (await (await fetch(`${site.platform.url}/approvals?status=pending&limit=1`)).json()) as {
      approvals: readonly { uuid: string }[];
    };
    await fetch(`${site.platform.url}/approvals/${approvals[0]?.uuid}`, {
      method: 'POST',
      body: JSON.stringify({ approved: false }),
    });
    await page.locator('.approval-row.rejected').waitFor();
    await count(waiting).waitFor();
    const after = await workDone(page);
    expect((after.parts - before.parts) / (after.commits - before.commits)).toBeLessThan(600);
    expect(lists).toEqual([]);

    // The last page has an end: what is asked for joins it, and only it is asked for again.
    await page.locator('.inbox > .link-button').click();
    await expect.poll(() => rows.count(), { timeout: patienceMs }).toBe(waiting + 1);
    lists.length = 0;
    await ask('the-last');
    await page.locator('.approval-row', { hasText: 'the-last' }).waitFor();
    expect(lists).toHaveLength(1);
    expect(lists[0]).toContain('cursor=');

    await page.getByRole('textbox', { name: 'Tool' }).fill('nothing-of-this-name');
    await page.getByText('Nothing waits for a decision').waitFor();
    expect(await rows.count()).toBe(0);
  });
});
