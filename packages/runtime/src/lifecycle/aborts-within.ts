/** Ends the timers of signals that are gone. */
const timers = new FinalizationRegistry<NodeJS.Timeout>((timer) => clearTimeout(timer));

/**
 * A signal that aborts with any of the others, and after so many milliseconds at the latest, as `AbortSignal.timeout` does; below
 * 2^31. What nobody waits for any more costs nothing, however far off its limit is.
 *
 * To be used wherever `AbortSignal.any` would be given an `AbortSignal.timeout`: in Node 20 nothing holds that one, and the next
 * collection of garbage takes the limit away; Node 24 keeps it until its time is up, whether or not anybody waits. This one is there
 * as long as anybody listens to it or has it. Another signal that `AbortSignal.any` makes of it is not enough: whoever makes one holds on
 * to this one as well.
 */
export function abortsWithin(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const limit = new AbortController();
  // It holds on to none of the signals that it is made of, nor do they to it: the timer does not keep it.
  const signal = AbortSignal.any([...others, limit.signal]);
  const timedOut = (): void => limit.abort(new DOMException('it took too long', 'TimeoutError'));
  timers.register(signal, setTimeout(timedOut, ms).unref());
  return signal;
}
