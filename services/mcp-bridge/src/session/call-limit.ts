import { waitShareMax } from './running-time.ts';

type CallLimits = { readonly timeoutMs: number; readonly totalTimeoutMs: number };

/** What the timers behind the limits of a call are later than those, in milliseconds: the limits are to be what ends a call. */
const clientSlackMs = 5_000;
const connectionSlackMs = 10_000;

/** The client's own timer of a call, in milliseconds: after its limits, which standstills may double (decision 0038). `answersMs`: how long the server may ask in it. */
export function clientTimerMs({ timeoutMs, totalTimeoutMs }: CallLimits, answersMs: number): number {
  return waitShareMax * Math.max(timeoutMs, totalTimeoutMs) + answersMs + clientSlackMs;
}

/** How long a connection may be silent in a call, in milliseconds: longer than the client's timer. */
export function connectionSilenceMs(limits: CallLimits, answersMs: number): number {
  return clientTimerMs(limits, answersMs) - clientSlackMs + connectionSlackMs;
}
