// What is due of a run: what it has waited for long enough. Times are absolute and on the record, so that whoever looks, and whenever,
// finds the same; what is recorded once is not there to be due again.
import type { Fact } from '../events/facts.ts';
import type { Interrupt } from '../state/interrupt.ts';
import type { RunState } from '../state/state.ts';
import { interruptKindOf } from './kinds.ts';

/** When something of an open run is due next, in milliseconds since 1970; undefined if nothing is. */
export function nextDue(run: RunState | null): number | undefined {
  const times = run === null ? [] : expiring(run).map(({ dueAt }) => dueAt);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** True if something of an open run is due by now. */
export function isDue(run: RunState | null, now: number): boolean {
  return (nextDue(run) ?? Number.POSITIVE_INFINITY) <= now;
}

/** The facts of all that is due by now, what was due first at the front. */
export function dueFacts(run: RunState, now: number): Fact[] {
  return expiring(run)
    .filter(({ dueAt }) => dueAt <= now)
    .sort((one, other) => one.dueAt - other.dueAt)
    .flatMap((interrupt) => interruptKindOf(interrupt).due?.(run, interrupt, now) ?? []);
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
