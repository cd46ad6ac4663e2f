// `npm run screenshots`: pictures of the main pages in light, dark and the width of a phone, with the offline model. They go into
// .cache/screenshots, or the folder that is named; `--docs` writes those that the README shows into docs/images, too.
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { flagsOf } from '../../scripts/flags.mjs';
import { root } from '../e2e/platform.ts';
import { asks, begin, openAskingSite } from './asking.ts';
import { type OpenOptions, patienceMs, type Site, say, script } from './site.ts';

/** What a picture of the docs may take, in bytes. */
const bytesMax = 150_000;

const looks: Readonly<Record<string, OpenOptions>> = {
  light: { colorScheme: 'light', viewport: { width: 1200, height: 760 } },
  dark: { colorScheme: 'dark', viewport: { width: 1200, height: 760 } },
  phone: {
    colorScheme: 'light',
    viewport: { width: 375, height: 760 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  },
};
/** The pictures of the README, by what they are called there. */
const ofDocs: Readonly<Record<string, string>> = {
  'chat-light.png': 'chat-light.png',
  'run-dark.png': 'run-dark.png',
  'approvals-phone.png': 'approval-phone.png',
};

type View = { readonly name: string; readonly path: string; readonly ready: (page: Page) => Promise<void> };

const values = flagsOf('usage: npm run screenshots [-- --folder FOLDER] [-- --docs]', {
  folder: { type: 'string' },
  docs: { type: 'boolean' },
});
const folder = typeof values.folder === 'string' ? values.folder : join(root, '.cache', 'screenshots');
mkdirSync(folder, { recursive: true });
const site = await openAskingSite();
try {
  const views = await story(site);
  for (const [look, options] of Object.entries(looks))
    for (const { name, path, ready } of views) {
      const page = await site.open(path, { ...options, reducedMotion: 'reduce' });
      page.setDefaultTimeout(patienceMs);
      await ready(page);
      // What is drawn once more when fonts and sizes are known is drawn then.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
      await page.screenshot({ path: join(folder, `${name}-${look}.png`) });
      await page.context().close();
    }
  console.log(`${views.length * Object.keys(looks).length} pictures in ${folder}`);
  if (values.docs === true) intoDocs();
} finally {
  await site.close();
}

/** Says and asks what the pictures show. */
async function story(of: Site): Promise<readonly View[]> {
  const resources = (message: string) => say(of, message);
  await resources('create a server mail-relay with value 25');
  await resources('create a server build-cache with value 8');
  const listed = await resources('list all resources');
  await script(of, {
    text: 'The server **web-1** is not needed any more: nothing has reached it since Monday. I will replace it with a new one.\n\n- name: `web-2`\n- value: `42`',
    calls: [{ name: 'resources_add', args: { name: 'web-2', value: 42 } }],
  });
  await fetch(`${of.platform.url}/conversations/${listed.id}/messages`, {
    method: 'POST',
    body: JSON.stringify({ message: 'Replace the server web-1 with a new one' }),
  });
  const asked = await begin(
    of,
    asks({
      name: 'form',
      message: 'Where shall the copy go?',
      schema: {
        type: 'object',
        properties: {
          place: { type: 'string', title: 'Place', enum: ['Lisbon', 'Oslo'] },
          days: { type: 'integer', title: 'Days to keep it', minimum: 1, maximum: 30 },
        },
        required: ['place', 'days'],
      },
    }),
  );
  const { approvals } = (await (await fetch(`${of.platform.url}/approvals?status=pending`)).json()) as {
    approvals: readonly { uuid: string }[];
  };
  const shows = (selector: string) => (page: Page) => page.locator(selector).first().waitFor();
  return [
    { name: 'chat', path: `/c/${listed.id}`, ready: shows('article.card') },
    { name: 'inbox', path: '/approvals', ready: shows('.approval-row') },
    { name: 'approval', path: `/approvals/${approvals.at(-1)?.uuid}`, ready: shows('article.card') },
    { name: 'run', path: `/c/${listed.id}/run`, ready: shows('[role="treeitem"]') },
    { name: 'agents', path: '/agents', ready: async (page) => page.getByText('office/clerk').first().waitFor() },
    { name: 'operations', path: '/operations', ready: shows('main h2') },
    { name: 'questions', path: `/questions/${asked.id}/${asked.input}`, ready: shows('.question-message') },
  ];
}

function intoDocs(): void {
  const docs = join(root, 'docs', 'images');
  mkdirSync(docs, { recursive: true });
  for (const [name, from] of Object.entries(ofDocs)) {
    copyFileSync(join(folder, from), join(docs, name));
    const { size } = statSync(join(docs, name));
    if (size > bytesMax) throw new Error(`docs/images/${name} has ${size} bytes, which is more than ${bytesMax}`);
  }
}
