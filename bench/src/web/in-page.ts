import type { Page } from 'playwright-core';

/** What the frames were like while something was done, in milliseconds. */
export type Frames = {
  /** Between one and the next. */
  readonly frames: readonly number[];
  /** What held the page's one thread for longer than 50 ms. */
  readonly longTasks: readonly number[];
  /** Processor time of the page's one thread: of all, of its own code, of styles, and of layout. Other work on the machine adds little. */
  readonly cpuMs: { readonly all: number; readonly code: number; readonly style: number; readonly layout: number };
};

/**
 * What runs in each page before anything of its own: it notes each frame, each long task, and when what was asked for was first on the
 * screen. It is text, since it runs in the browser.
 */
export const measuring = `
  const noted = { at: [], tasks: [], ready: undefined };
  window.__bench = noted;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) noted.tasks.push({ at: entry.startTime, ms: entry.duration });
  }).observe({ type: 'longtask', buffered: true });
  const frame = (at) => {
    noted.at.push(at);
    if (noted.ready === undefined && window.__isReady !== undefined && window.__isReady()) {
      // The frame after it: what was asked for has been drawn, and the page can take a key.
      noted.ready = 0;
      requestAnimationFrame(() => setTimeout(() => { noted.ready = performance.now(); }));
    }
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
`;

/** Has the page note when a condition, an expression of the page's own language, first holds. */
export const readyWhen = (condition: string): string => `window.__isReady = () => Boolean(${condition});`;

/** Milliseconds from the beginning of the navigation until the condition held and the page could take a key. */
export async function readyMs(page: Page): Promise<number> {
  await until(page, 'window.__bench.ready > 0');
  return page.evaluate('window.__bench.ready');
}

/** Resolves in the frame in which an expression of the page's own language holds. */
export const until = (page: Page, condition: string): Promise<void> =>
  page.evaluate(`new Promise((resolve) => {
    const look = () => (${condition}) ? resolve() : requestAnimationFrame(look);
    look();
  })`);

/** What the frames were like while the work was done. */
export async function framesDuring(page: Page, work: () => Promise<void>): Promise<Frames> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async (): Promise<readonly number[]> => {
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (name: string): number => 1_000 * (metrics.find((one) => one.name === name)?.value ?? Number.NaN);
    return [of('TaskDuration'), of('ScriptDuration'), of('RecalcStyleDuration'), of('LayoutDuration')];
  };
  const before = await spent();
  const from: number = await page.evaluate('performance.now()');
  await work();
  const [all = 0, code = 0, style = 0, layout = 0] = (await spent()).map((ms, index) => ms - (before[index] ?? 0));
  const { at, tasks }: { at: readonly number[]; tasks: readonly { at: number; ms: number }[] } =
    await page.evaluate('window.__bench');
  const shown = at.filter((one) => one >= from);
  return {
    frames: shown.slice(1).map((one, index) => one - (shown[index] ?? one)),
    cpuMs: { all, code, style, layout },
    longTasks: tasks.filter((one) => one.at >= from).map(({ ms }) => ms),
  };
}
