import type { Page } from 'playwright-core';

/** What was done to show something: how often React changed the page, and how many parts it looked at for it. */
export type Work = { readonly commits: number; readonly parts: number };

/**
 * What has a page count the work of React, as its developer tools do: a part counts that React did not pass over. It is text, since it runs in
 * the browser, before anything of the page's own.
 */
export const countingWork = `
  const work = { commits: 0, parts: 0 };
  window.__work = work;
  const look = (fiber) => {
    work.parts += 1;
    if (fiber.alternate !== null && fiber.alternate.child === fiber.child) return;
    for (let child = fiber.child; child !== null; child = child.sibling) look(child);
  };
  window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    renderers: new Map(),
    inject: () => 1,
    checkDCE: () => undefined,
    onCommitFiberUnmount: () => undefined,
    onPostCommitFiberRoot: () => undefined,
    onCommitFiberRoot: (_, root) => {
      work.commits += 1;
      look(root.current);
    },
  };
`;

/** What React did so far. */
export const workDone = (page: Page): Promise<Work> => page.evaluate('({ ...window.__work })');

/** How many of the elements are laid out: those that are skipped since they are far from the screen are not. */
export const laidOut = (page: Page, selector: string): Promise<number> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})]
    .filter((one) => one.checkVisibility({ contentVisibilityAuto: true })).length`);
