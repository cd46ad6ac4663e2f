/** Longest wait of a test for something that must come by itself, in milliseconds. */
const waitMsMax = 15_000;

/** Waits until something is true, looking again and again; fails after `waitMs`. */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  waitMs: number = waitMsMax,
): Promise<void> {
  const end = performance.now() + waitMs;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`it did not come: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
