// What is due of a run: what it has waited for long enough. Times are absolute and on the record, so that whoever looks, and whenever,
// finds the same; what is recorded once is not there to be due again.
import type { Fact } from '../events/facts.ts';
import type { Interrupt } from '../state/interrupt.ts';
import type { RunState } from '../state/state.ts';
import { interruptKindOf } from './kinds.ts';
import { runningTimes, timeOver } from './time-limits.ts';

/** When something of an open run is due next, in milliseconds since 1970; undefined if nothing is. */
export function nextDue(run: RunState | null): number | undefined {
  const times = run === null ? [] : timesOf(run);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** How much of an open run is due by now. */
export function countDue(run: RunState | null, now: number): number {
  return run === null ? 0 : timesOf(run).filter((at) => at <= now).length;
}

function timesOf(run: RunState): number[] {
  return [...expiring(run).map(({ dueAt }) => dueAt), ...runningTimes(run).map(({ endsAt }) => endsAt)];
}

/** True if something of an open run is due by now. */
export function isDue(run: RunState | null, now: number): boolean {
  return (nextDue(run) ?? Number.POSITIVE_INFINITY) <= now;
}

/**
 * The facts of what is due by now, what was due first at the front. With an agent whose time is over much else is: so it comes alone, and
 * then whatever is due still.
 */
export function dueFacts(run: RunState, now: number): Fact[] {
  const waiting = expiring(run)
    .filter(({ dueAt }) => dueAt <= now)
    .sort((one, other) => one.dueAt - other.dueAt);
  const [time] = runningTimes(run);
  if (time !== undefined && time.endsAt <= Math.min(now, waiting[0]?.dueAt ?? now)) return timeOver(run, time);
  return waiting.flatMap((interrupt) => interruptKindOf(interrupt).due?.(run, interrupt, now) ?? []);
}

/** The open interrupts of which something follows at a time. */
function expiring({ status, interrupts }: RunState): Expiring[] {
  if (status !== 'open') return [];
  return Object.values(interrupts)
    .filter(mayExpire)
    .filter((one) => interruptKindOf(one).isOpen(one));
}

type Expiring = Interrupt & { readonly dueAt: number };

/** A time alone makes nothing due: its kind has to say what follows. */
function mayExpire(one: Interrupt): one is Expiring {
  return one.dueAt !== undefined && interruptKindOf(one).due !== undefined;
}
