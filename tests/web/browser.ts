import { existsSync } from 'node:fs';
import { startOfflineModel } from '@stopgo/offline-model';
import { createLogger } from '@stopgo/runtime';
import { buildWhereNeeded, startWeb, type WebOptions } from '@stopgo/web';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import type { Step } from '../e2e/model.ts';
import {
  type Platform,
  resourcesConfig,
  type StartOptions,
  start,
  type Workplace,
  workplace,
} from '../e2e/platform.ts';

/** The browser of this machine; nothing is downloaded. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Nothing is drawn on a screen, and nothing but the site is asked: drawing without a screen takes most of a processor otherwise. */
const browserArgs = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

/** Tests that need a Chromium; without one they are skipped, and in CI they fail. */
export const describeInBrowser = describe.skipIf(!existsSync(executablePath) && process.env.CI !== 'true');

/** How long what must come may take, in milliseconds: the machine may be slow. */
export const patienceMs = 30_000;

/** A platform with its web app, and a browser that looks at it. */
export type Site = {
  readonly url: string;
  readonly platform: Platform;
  readonly place: Workplace;
  /** The offline model, with its control. */
  readonly model: string;
  /** Opens an address of the app in a tab of somebody who shares nothing with the others. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  close(): Promise<void>;
};

/** `first`: what runs in the page before anything of its own, as text. */
export type OpenOptions = BrowserContextOptions & { readonly first?: string };

export type SiteOptions = {
  /** Lines of configuration. */
  readonly more?: string;
  readonly config?: (place: Workplace) => string;
  readonly start?: StartOptions;
  /** Where the app listens, and how people sign in, if they do; without it any port. */
  readonly web?: Pick<WebOptions, 'config' | 'login'>;
  /** Origins that its pages lead to. */
  readonly leadsTo?: readonly string[];
};

/** Starts a platform with the offline model, its web app, and a browser. */
export async function openSite(given: SiteOptions = {}): Promise<Site> {
  const { more = '', config, start: options = {}, leadsTo = [] } = given;
  const problem = await buildWhereNeeded(new AbortController().signal, process.env);
  if (problem !== undefined) throw new Error(`the web app could not be built: ${problem}`);
  const place = workplace();
  const model = await startOfflineModel({ host: '127.0.0.1', port: 0, control: true });
  const platform = await start(place, config?.(place) ?? resourcesConfig(place, more), {
    ...{ asProcess: true, ...options },
    env: { STOPGO_OFFLINE_MODEL: model.url, ...options.env },
  });
  const log = createLogger({ level: 'error', format: 'text', destination: process.stderr });
  const web = await startWeb({
    ...given.web,
    config: { host: '127.0.0.1', port: 0, allowedHosts: [], ...given.web?.config, agentUrl: platform.url },
    log,
  });
  const browser = await chromium.launch({ executablePath, args: browserArgs });
  const faults: string[] = [];
  return {
    ...{ url: web.address, platform, place, model: model.url },
    open: async (path, more) => {
      const page = await newPage(browser, more);
      watchFaults(page, [web.address, ...leadsTo], faults);
      await page.goto(`${web.address}${path}`);
      return page;
    },
    close: async () => {
      await browser.close();
      await web.stop();
      await platform.discard();
      await model.stop();
      place.remove();
      // Nothing was refused by the content policy, nothing threw, and nothing was asked of another origin.
      expect(faults).toEqual([]);
    },
  };
}

async function newPage(browser: Browser, { first, ...options }: OpenOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, ...options });
  context.setDefaultTimeout(patienceMs);
  if (first !== undefined) await context.addInitScript(first);
  return context.newPage();
}

function watchFaults(page: Page, origins: readonly string[], faults: string[]): void {
  page.on('pageerror', (error) => faults.push(`threw ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!origins.some((origin) => url.startsWith(`${origin}/`)) && !url.startsWith('data:'))
      faults.push(`asked ${url}`);
  });
}

/** Says something to the platform over its API; gives the answer. */
export async function say(site: Site, message: string): Promise<{ id: string; approval?: string }> {
  const response = await fetch(`${site.platform.url}/conversations`, {
    method: 'POST',
    body: JSON.stringify({ message }),
  });
  const { conversation, result } = (await response.json()) as {
    conversation: { id: string };
    result: { approval?: { uuid: string } };
  };
  return { id: conversation.id, ...(result.approval === undefined ? {} : { approval: result.approval.uuid }) };
}

/** Has the model do this next, whatever it is asked. */
export async function script(site: Pick<Site, 'model'>, step: Step): Promise<void> {
  await fetch(`${site.model}/__script`, { method: 'POST', body: JSON.stringify(step) });
}

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
 * wider than the page. The page is looked at as it stands: loading it for each look would take twice as long. `open` opens again what a
 * change of the width closes.
 */
export async function findings(page: Page, open?: () => Promise<unknown>): Promise<readonly string[]> {
  const opened = await page.locator(overlays).count();
  const found: string[] = [];
  for (const { name, colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 820 });
    await page.evaluate(settled);
    if (opened > 0 && (await page.locator(overlays).count()) === 0) await open?.();
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
