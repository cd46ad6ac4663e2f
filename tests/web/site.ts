import { startOfflineModel } from '@stopgo/offline-model';
import { createLogger } from '@stopgo/runtime';
import { buildWhereNeeded, startWeb, type WebOptions } from '@stopgo/web';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
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
export const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Nothing is drawn on a screen, and nothing but the site is asked: drawing without a screen takes most of a processor otherwise. */
const browserArgs = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

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
      if (faults.length > 0) throw new Error(`pages did what they must not: ${faults.join('; ')}`);
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
