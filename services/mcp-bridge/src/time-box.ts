import { createContext, Script } from 'node:vm';

/** Said when work took longer than it may. */
export class TimeBoxed extends Error {
  override readonly name = 'TimeBoxed';
}

type Box = { work?: (() => void) | undefined };

const box: Box = {};
const context = createContext(box);
const script = new Script('work()');

/**
 * Does synchronous work on what a server wrote, for `ms` milliseconds at most: one of its regular expressions may take for
 * ever, and nothing else would run meanwhile. The virtual machine's watchdog is the one way to break off such work in its
 * own thread. Must not be nested.
 *
 * @throws TimeBoxed if the time is over, or what the work throws.
 */
export function timeBoxed<T>(ms: number, work: () => T): T {
  const results: T[] = [];
  box.work = () => void results.push(work());
  try {
    script.runInContext(context, { timeout: ms });
  } catch (error) {
    // Made in the other context, so that it is an instance of none of our classes.
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new TimeBoxed(`it took longer than ${ms} ms`);
    throw error;
  } finally {
    box.work = undefined;
  }
  const [result] = results;
  // The work has ended without an error, so that its result is there.
  return result as T;
}
