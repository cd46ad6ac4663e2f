import type { Page } from 'playwright-core';
import { type Frames, framesDuring, readyMs, until } from './in-page.ts';
import { askFor, converse, type World } from './world.ts';

/** What was measured: times between frames by what was done, and times until a page could be used, of each opening. */
export type PageFigures = {
  readonly frames: readonly (readonly [string, Frames])[];
  readonly ready: readonly (readonly [string, readonly number[]])[];
};

export type PageSizes = { readonly messages: number; readonly approvals: number };

/** How often a page is opened. */
const openings = 5;
const pieces = 300;
const asked = 40;

const writable = `document.querySelector('textarea')?.disabled === false`;
const isChatReady = (text: string): string =>
  `${writable} && document.querySelector('.log-inner')?.textContent.includes(${JSON.stringify(text)})`;
const isInboxReady = `document.querySelector('.approval-row') !== null && /waiting/.test(document.querySelector('.head-note')?.textContent ?? '')`;
const isRunReady = `document.querySelector('[role="treeitem"], .timeline li') !== null`;

/** Scrolls a box to its one end, a screen in three frames; resolves there. */
const scrolled = (box: string, step: number): string => `new Promise((resolve) => {
  const box = document.querySelector(${JSON.stringify(box)});
  let rest = 0;
  const next = () => {
    const before = box.scrollTop;
    box.scrollTop += ${step};
    rest = box.scrollTop === before ? rest + 1 : 0;
    if (rest > 10) resolve();
    else requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})`;

export async function measurePages(world: World, sizes: PageSizes): Promise<PageFigures> {
  const say = (what: string): void => console.error(what);
  say(`making a conversation of ${sizes.messages} messages`);
  const long = await converse(world, sizes.messages);
  const short = await converse(world, 2);
  const chat = isChatReady(`section ${sizes.messages / 2 - 1}`);
  const ready: [string, readonly number[]][] = [];
  const frames: [string, Frames][] = [];
  const opened = async (what: string, path: string, condition: string): Promise<Page> => {
    const times: number[] = [];
    for (let opening = 1; ; opening += 1) {
      const page = await world.open(path, condition);
      times.push(await readyMs(page));
      if (opening === openings) {
        ready.push([what, times]);
        return page;
      }
      await page.context().close();
    }
  };
  say('the conversation');
  await (await opened('chat, 2 messages', `/c/${short}`, isChatReady('section 0'))).context().close();
  const page = await opened(`chat, ${sizes.messages} messages`, `/c/${long}`, chat);
  frames.push([
    'chat: scrolled to its beginning',
    await framesDuring(page, () => page.evaluate(scrolled('.log', -270))),
  ]);
  say('back');
  frames.push(['chat: scrolled to its end', await framesDuring(page, () => page.evaluate(scrolled('.log', 270)))]);
  say('written');
  frames.push([`chat: an answer of ${pieces} pieces is written`, await framesDuring(page, () => written(page))]);
  await page.context().close();
  say('the run');
  await (await opened('run, 2 messages', `/c/${short}/run`, isRunReady)).context().close();
  await (await opened(`run, ${sizes.messages} messages`, `/c/${long}/run`, isRunReady)).context().close();
  say(`asking for ${sizes.approvals} approvals`);
  await askFor(world, sizes.approvals);
  const inbox = await opened(`inbox, ${sizes.approvals} approvals`, '/approvals', isInboxReady);
  frames.push([
    'inbox: scrolled through the first page',
    await framesDuring(inbox, () => inbox.evaluate(scrolled('.rows', 270))),
  ]);
  frames.push(['inbox: a thousand are shown', await framesDuring(inbox, () => shown(inbox, 1_000))]);
  frames.push([
    'inbox: scrolled through them',
    await framesDuring(inbox, () => inbox.evaluate(scrolled('.rows', -270))),
  ]);
  frames.push([`inbox: ${asked} more are asked for`, await framesDuring(inbox, () => askFor(world, asked))]);
  frames.push(['inbox: a tool is looked for', await framesDuring(inbox, () => narrowed(inbox))]);
  await inbox.context().close();
  return { frames, ready };
}

async function written(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(`write ${pieces} pieces`);
  await page.keyboard.press('Enter');
  await page.getByText(`of piece ${pieces - 1}.`).waitFor();
}

async function shown(page: Page, rows: number): Promise<void> {
  for (let before = 100; before < rows; before += 100) {
    await page.getByRole('button', { name: 'Show more' }).last().click();
    await until(page, `document.querySelectorAll('.approval-row').length > ${before}`);
  }
}

async function narrowed(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Tool' }).fill('nothing-of-this-name');
  await page.getByText('Nothing waits for a decision').waitFor();
  await page.getByRole('textbox', { name: 'Tool' }).fill('erase');
  await page.locator('.approval-row').first().waitFor();
}
