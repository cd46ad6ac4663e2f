/** The limits of signals, for as long as anybody listens to the signal or has it. */
const limits = new WeakMap<AbortSignal, AbortSignal>();

/**
 * A signal that aborts with any of the others, and after so many milliseconds at the latest. What nobody waits for any more costs
 * nothing, however far off its limit is.
 *
 * To be used wherever `AbortSignal.any` would be given an `AbortSignal.timeout`: it holds on to none of the signals that it is made of,
 * and one with a time limit is held by nothing but its own listeners. In Node 20 it is gone with the next collection of garbage, and
 * the limit with it. So is this one if all that is left of it is another signal that `AbortSignal.any` made of it: whoever makes one
 * holds on to this one as well.
 */
export function abortsWithin(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  const signal = AbortSignal.any([...others, limit]);
  limits.set(signal, limit);
  return signal;
}
