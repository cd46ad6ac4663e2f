import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openSite, type Site, say, script } from './browser.ts';

/** What a model may say to run something in the reader's browser, or to have it ask another server. */
const attack = [
  '<script>window.__ran = 1</script><img src="http://tracker.example/x.png" onerror="window.__ran = 2">',
  '![pixel](http://tracker.example/pixel.png) [free money](javascript:window.__ran=3)',
  '[your bank](http://evil.example/login) <a href="http://evil.example">x</a>',
  '[sign in](/approvals) <iframe srcdoc="<script>parent.__ran=4</script>"></iframe>',
  '<style>body{display:none}</style> <svg onload="window.__ran=5"></svg>',
  '[![nested](http://tracker.example/n.png)](data:text/html,<script>window.__ran=6</script>)',
].join('\n\n');

describeInBrowser('what is hostile stays inert', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite();
  });
  // Closing it fails if anything was asked of another origin, or was stopped by the content policy alone.
  afterAll(() => site?.close());

  test('an answer is text: nothing runs, nothing loads, and links say where they lead', async () => {
    await script(site, { text: attack });
    const { id } = await say(site, 'attack');
    const page = await site.open(`/c/${id}`);
    const answer = page.locator('.item.agent .md');
    await answer.getByText('<script>window.__ran = 1</script>').waitFor();
    expect(await answer.locator('img, script, iframe, style, svg, form').count()).toBe(0);
    expect(await page.evaluate('window.__ran')).toBeUndefined();
    const links = await answer
      .locator('a')
      .evaluateAll((all) => all.map((one) => [one.getAttribute('href'), one.getAttribute('rel'), one.textContent]));
    for (const [href, rel] of links) {
      expect(href).toMatch(/^https?:/);
      expect(rel).toBe('noopener noreferrer nofollow');
    }
    expect(links.map(([, , text]) => text)).toContain('your bank (evil.example)');
    expect(await answer.getByText('sign in').evaluate((one) => one.tagName)).not.toBe('A');
  });

  test('a call that hides what it does is shown with what it hides', async () => {
    // The number is beyond what JavaScript can hold; the name is written with a Cyrillic letter and turns its direction around.
    const args = '{"name":"p\\u0430ypal\\u202egnp.exe\\u200b","value":12345678901234567890}';
    await script(site, {
      calls: [{ name: 'resources_add', args: JSON.parse(args.replace('12345678901234567890', '7')) }],
    });
    const { approval } = await say(site, 'disguise');
    const page = await site.open(`/approvals/${approval}`);
    const value = page.locator('.arguments dd').first();
    await value.waitFor();
    expect(await value.textContent()).toBe('pа (U+0430, looks like another letter)ypalU+202Egnp.exeU+200B');
    expect(await value.locator('.hidden-mark').allTextContents()).toEqual(['U+202E', 'U+200B']);
  });

  test('a long value is folded, says how much of it, and is shown whole', async () => {
    await script(site, { calls: [{ name: 'resources_add', args: { name: `${'a'.repeat(2_000)}END`, value: 1 } }] });
    const { approval } = await say(site, 'long');
    const page = await site.open(`/approvals/${approval}`);
    const value = page.locator('.arguments dd').first();
    await page.getByRole('button', { name: 'Show all of name: 1,403 more characters' }).click();
    expect(await value.locator('.exact').textContent()).toBe(`${'a'.repeat(2_000)}END`);
  });
});
