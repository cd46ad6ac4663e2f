import { existsSync } from 'node:fs';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe } from 'vitest';
import { executablePath } from './site.ts';

export * from './site.ts';

/** Tests that need a Chromium; without one they are skipped, and in CI they fail. */
export const describeInBrowser = describe.skipIf(!existsSync(executablePath) && process.env.CI !== 'true');

/** How people see a page, one after the other: its width and its colours. */
const looks = [
  { name: 'light', colorScheme: 'light', width: 1280 },
  { name: 'dark', colorScheme: 'dark', width: 1280 },
  { name: 'on a phone', colorScheme: 'light', width: 375 },
] as const;

/** What is open over a page, and would not be looked at if a change of the width closed it. */
const overlays = '[role=dialog], [role=alertdialog], [role=listbox], [role=menu]';

/**
 * What is wrong with a page in light, in dark and on a phone: what axe finds, with the elements that it is about, and that something is
 * wider than the page. The page is looked at as it stands: loading it for each look would take twice as long.
 */
export async function findings(page: Page): Promise<readonly string[]> {
  const opened = await page.locator(overlays).count();
  const found: string[] = [];
  for (const { name, colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 820 });
    await page.evaluate(settled);
    if ((await page.locator(overlays).count()) !== opened) found.push(`${name}: what was open has closed`);
    const isWider = await page.evaluate(
      '[document.documentElement, document.querySelector(".page-body")].some((one) => one && one.scrollWidth > one.clientWidth)',
    );
    if (isWider) found.push(`${name}: something is wider than the page`);
    for (const finding of await axeFindings(page)) found.push(`${name}: ${finding}`);
  }
  await page.setViewportSize({ width: looks[0].width, height: 820 });
  return found;
}

/** Two frames on, with every transition at its end. */
const settled = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => Promise.allSettled(
  document.getAnimations().filter((one) => one.effect?.getComputedTiming().endTime !== Infinity).map((one) => one.finished)))`;

/** What axe finds on the page, each with the elements that it is about. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  // In a world of its own: the page's content policy forbids it what is not its own.
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  const run = `${axe.source}; axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target, failureSummary }) => target.join(' ') + ' ' + failureSummary).join(' | '))))`;
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    ...{ expression: run, contextId: executionContextId, awaitPromise: true, returnByValue: true },
  });
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return JSON.parse(String(result.value)) as readonly string[];
}
