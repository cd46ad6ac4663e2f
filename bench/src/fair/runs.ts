import { medians } from '../quantiles.ts';

/** How long the slow tool takes for a call, and the slow model for each answer, in milliseconds. */
export const slowMs = 2_000;
/** A conversation with the slow tool, one with the slow model, and one that is large. */
export const guestNames = ['slow tool', 'slow model', 'large conversation'] as const;
export type Guest = (typeof guestNames)[number];

/** Turns of the ordinary conversations; times in milliseconds. */
export type FairTimes = {
  readonly turnsPerSecond: number;
  readonly stopP50: number;
  readonly stopP95: number;
  readonly stopMax: number;
  readonly goP50: number;
  readonly goP95: number;
  readonly goMax: number;
};

/** Some guests, or none, among so many conversations at once. The ordinary ones are the same number with guests and without. */
export type FairRun = {
  readonly quickServers: number;
  readonly concurrent: number;
  readonly guests: readonly Guest[];
  readonly times: FairTimes;
  /** A whole turn of each guest, the median in milliseconds. */
  readonly guestMs: Readonly<Record<string, number>>;
};

/** A run over all passes: medians, and the times as multiples of those without guests in the same pass. */
export type FairFigures = FairRun & { readonly ofAlone: FairTimes };

/** Ordinary conversations among so many at once: as many as are left when each guest is there. */
export const ordinaryOf = (concurrent: number): number => concurrent - guestNames.length;

/** The passes of each run as one, in the order of the first pass. */
export function fairOver(passes: readonly (readonly FairRun[])[]): readonly FairFigures[] {
  return (passes[0] ?? []).map((first) => {
    const all = passes.flatMap((pass) => pass.find((one) => isSame(one, first)) ?? []);
    const alone = passes.flatMap((pass) => pass.find((one) => isSame(one, { ...first, guests: [] })) ?? []);
    return {
      ...first,
      times: medians(all.map(({ times }) => times)),
      guestMs: medians(all.map(({ guestMs }) => guestMs)),
      ofAlone: medians(all.map(({ times }, pass) => timesOf(times, alone[pass]?.times))),
    };
  });
}

/** What makes two runs the same. */
export type Setting = Pick<FairRun, 'quickServers' | 'concurrent' | 'guests'>;

function isSame(one: Setting, other: Setting): boolean {
  const { quickServers, concurrent, guests } = other;
  const hasSame = one.guests.join() === guests.join();
  return hasSame && one.quickServers === quickServers && one.concurrent === concurrent;
}

function timesOf(times: FairTimes, alone: FairTimes | undefined): FairTimes {
  const names = Object.keys(times) as (keyof FairTimes)[];
  const ratios = names.map((name) => [name, times[name] / (alone?.[name] ?? Number.NaN)] as const);
  return Object.fromEntries(ratios) as FairTimes;
}
