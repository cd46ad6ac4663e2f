import { useNow } from '../state/clock.ts';

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

const whole = (at: Date): string => at.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'medium' });

/** A point in time in few words; the whole of it is its title. */
export function Time({ at }: { readonly at: string | null | undefined }) {
  const now = useNow();
  if (at === null || at === undefined) return null;
  const then = new Date(at);
  const ago = now - then.getTime();
  const words =
    ago < minute
      ? 'just now'
      : ago < day
        ? then.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
        : then.toLocaleDateString(undefined, {
            day: 'numeric',
            month: 'short',
            ...(ago > 300 * day ? { year: 'numeric' } : {}),
          });
  return (
    <time dateTime={at} title={whole(then)}>
      {words}
    </time>
  );
}

/** How long there still is, or that it is over. */
export function TimeLeft({ until }: { readonly until: string }) {
  const left = new Date(until).getTime() - useNow();
  return (
    <time dateTime={until} title={whole(new Date(until))}>
      {left <= 0 ? 'its time is over' : `${lengthOf(left)} left`}
    </time>
  );
}

/** The time of day of something that has happened, in words. */
export const clockTime = (at: string): string =>
  new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
