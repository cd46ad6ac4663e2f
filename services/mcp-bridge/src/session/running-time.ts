/** A time-out is waited for in this many slices. */
const slices = 8;
/** A timer that is late by more than this share of its slice means that this process stood still. */
const lateShare = 1 / 2;
/** Upper bound of the above, in milliseconds, so that a standstill is noticed in long time-outs too. */
const lateMsMax = 500;
/** At most this many slices are repeated, so that every time-out ends. */
const standstillsMax = slices;
/** The longest that a time-out may take, as a multiple of its milliseconds; time in which the process stood still comes on top. */
export const waitShareMax = (slices + standstillsMax) / slices;

/**
 * A time-out that leaves out the time in which this process did not run: calls `over` after `ms` milliseconds of running, and returns
 * a function that cancels it. While the process is frozen or gets no processor, it cannot read an answer that has arrived. A slice
 * whose timer fires late is therefore repeated, which leaves time to read the answer. This at most doubles the time-out.
 *
 * `clock`: monotonic, in milliseconds.
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
