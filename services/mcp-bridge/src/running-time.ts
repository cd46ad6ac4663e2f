/** Slices that a wait is cut into. */
const slices = 8;
/** Part of a slice by which its timer is late before this process takes itself for having stood still. */
const lateShare = 1 / 2;
/** The same in milliseconds, whichever is less: slices of a long wait are long, and a standstill is noticed all the same. */
const lateMsMax = 500;
/** Slices of one wait that are not counted at most, so that every wait ends. */
const standstillsMax = slices;
/** The longest that a wait may take, as a multiple of its milliseconds, and apart from the time in which the process stood still. */
export const waitShareMax = (slices + standstillsMax) / slices;

/**
 * Calls `over` after so many milliseconds in which this process ran, and returns what stops that. Time in which it was frozen, or got
 * no processor, is no time of a server that it waits for: the answer may have come meanwhile, and nobody has read it. So a slice of
 * the wait that ended late is waited for once more, which gives the answer time to be read. A wait at most doubles by that.
 *
 * `clock`: milliseconds that only grow.
 */
export function afterRunning(ms: number, clock: () => number, over: () => void): () => void {
  const slice = ms / slices;
  let left = slices;
  let standstills = 0;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const due = clock() + slice;
    timer = setTimeout(() => {
      const stoodStill = clock() - due > Math.min(slice * lateShare, lateMsMax) && standstills < standstillsMax;
      if (stoodStill) standstills += 1;
      else left -= 1;
      if (left > 0) wait();
      else over();
    }, slice);
  };
  wait();
  return () => clearTimeout(timer);
}
