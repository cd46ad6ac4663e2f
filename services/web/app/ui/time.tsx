import { useClock } from '../state/clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A length of time in the two largest units that it has. */
export function lengthOf(ms: number): string {
  if (ms < minute) return 'less than a minute';
  const units: readonly (readonly [number, string])[] = [
    [day, 'd'],
    [hour, 'h'],
    [minute, 'min'],
  ];
  let rest = ms;
  const parts: string[] = [];
  for (const [unit, name] of units) {
    const number = Math.floor(rest / unit);
    rest -= number * unit;
    if (number > 0) parts.push(`${number} ${name}`);
  }
  return parts.slice(0, 2).join(' ');
}

// Made once: to make one takes longer than to use it a hundred times.
const wholeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const timeFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const clockFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const dateFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

function wordsOf(then: Date, now: number): string {
  const ago = now - then.getTime();
  if (ago < minute) return 'just now';
  if (ago < day) return timeFormat.format(then);
  return (ago > 300 * day ? dateFormat : dayFormat).format(then);
}

/** A point in time in few words; the whole of it is its title. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  const then = at === null || at === undefined ? undefined : new Date(at);
  const words = useClock((now) => (then === undefined ? '' : wordsOf(then, now)));
  if (then === undefined || at === null) return null;
  return (
    <time dateTime={at} title={wholeFormat.format(then)}>
      {words}
    </time>
  );
}

/** How long there still is, or that it is over. */
export function TimeLeft({ until }: { readonly until: string }) {
  const then = new Date(until);
  const words = useClock((now) => {
    const left = then.getTime() - now;
    return left <= 0 ? 'its time is over' : `${lengthOf(left)} left`;
  });
  return (
    <time dateTime={until} title={wholeFormat.format(then)}>
      {words}
    </time>
  );
}

/** The time of day of something that has happened, in words. */
export const clockTime = (at: string): string => clockFormat.format(new Date(at));
