import { expect, test } from 'vitest';
import { endpoints } from '../src/docs/describe-api.ts';
import { gateway } from './support/gateway.ts';

test('the page shows every route, and loads nothing but its own parts', async () => {
  const { send } = await gateway({}, { agentName: 'a<b>&"c"' });
  const { status, headers, text } = await send('GET', '/docs');
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  for (const { method, path, summary } of endpoints)
    expect(text, `${method} ${path}`).toContain(
      `<b class="${method}">${method}</b> <code>${path}</code> ${summary.replaceAll("'", '&#39;')}`,
    );
  expect(text).toContain('a&lt;b&gt;&amp;&quot;c&quot;');
  const policy = String(headers['content-security-policy']).split('; ');
  expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]));
  expect(policy.join()).not.toContain('unsafe');
  // Nothing inline, which the policy would refuse, and nothing from elsewhere.
  expect(text).not.toMatch(/<script(?! src="\/)|<style|style="| on\w+="|(?:src|href)="(?!\/)/);
  for (const [, part = ''] of text.matchAll(/(?:src|href)="([^"]*)"/g))
    expect([part, (await send('GET', part)).status]).toEqual([part, 200]);
});

test('the page is not for whom the rules refuse it', async () => {
  const { send } = await gateway({}, { authorize: () => false });
  for (const path of ['/docs', '/docs/page.js', '/docs/page.css']) expect((await send('GET', path)).status).toBe(403);
});
