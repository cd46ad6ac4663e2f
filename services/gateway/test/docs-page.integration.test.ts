import { expect, test } from 'vitest';
import { endpoints } from '../src/docs/describe-api.ts';
import { openPath } from '../src/docs/openapi.ts';
import { gateway } from './support/gateway.ts';

test('the page shows every route, and loads nothing but its own parts', async () => {
  const { send } = await gateway({}, { agentName: 'a<b>&"c"' });
  const { status, headers, text } = await send('GET', '/docs');
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  for (const { method, path, summary } of endpoints)
    expect(text, `${method} ${path}`).toContain(
      `<b class="${method}">${method}</b> <code>${openPath(path)}</code> ${summary.replaceAll("'", '&#39;')}`,
    );
  // A name in a path is written in one way, whether it holds slashes or not; the forms send it to the route as it is.
  expect(text).toContain('<code>/agents/{name}/memories/{key}</code>');
  expect(text).toContain('data-path="/agents/*name/memories/:key"');
  expect(text).not.toMatch(/<code>[^<]*[:*]\w/);
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
