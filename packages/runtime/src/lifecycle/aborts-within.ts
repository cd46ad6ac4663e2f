/** The longest time that a timer of Node has: it takes any longer one for 1 ms. */
const limitMsMax = 2 ** 31 - 1;

/** Ends the timers of signals that are gone. */
const timers = new FinalizationRegistry<NodeJS.Timeout>((timer) => clearTimeout(timer));

/**
 * A signal that aborts with any of the others, and after so many milliseconds at the latest, with a `TimeoutError` as that of
 * `AbortSignal.timeout`. It keeps no process running. What nobody waits for any more costs nothing, however far off its limit is.
 *
 * To be used wherever `AbortSignal.any` would be given an `AbortSignal.timeout`: in Node 20 nothing holds that one, and the next
 * collection of garbage takes the limit away; Node 24 keeps it until its time is up, whether or not anybody waits. This one is there
 * as long as anybody listens to it or has it. Another signal that `AbortSignal.any` makes of it is not enough: whoever makes one holds on
 * to this one as well.
 *
 * @throws RangeError if the milliseconds are no number from 0 to 2^31 - 1
 */
export function abortsWithin(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  // NaN is not within either.
  if (!(ms >= 0 && ms <= limitMsMax)) throw new RangeError(`a limit has 0 to ${limitMsMax} milliseconds, not ${ms}`);
  const limit = new AbortController();
  // A signal and those that it is made of do not hold on to each other. So the registry keeps the timer, and with it the limit, as
  // long as this signal is there; the timer does not keep this signal.
  const signal = AbortSignal.any([...others, limit.signal]);
  const timedOut = (): void => limit.abort(new DOMException('it took too long', 'TimeoutError'));
  timers.register(signal, setTimeout(timedOut, ms).unref());
  return signal;
}
