/**
 * A signal that aborts with any of the others, and after so many milliseconds at the latest.
 *
 * To be used wherever `AbortSignal.any` would be given an `AbortSignal.timeout`: it holds on to none of the signals that it is made of,
 * and one with a time limit is held by nothing but its own listeners. In Node 20 it is gone with the next collection of garbage, and
 * the limit with it.
 */
export function abortsWithin(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  limit.addEventListener('abort', () => undefined, { once: true });
  return AbortSignal.any([...others, limit]);
}
