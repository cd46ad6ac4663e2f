import { Random } from '../simulation/world/random.ts';

/** What can be struck. */
export const parts = ['orchestrator', 'approvals', 'store', 'mcp-bridge', 'gateway', 'tools', 'nats'] as const;
export type Part = (typeof parts)[number];

/** What befalls a process: SIGKILL and a new start; SIGSTOP and SIGCONT; SIGTERM and a new start. */
export const kinds = ['kill', 'freeze', 'restart'] as const;
export type Kind = (typeof kinds)[number];

/** How the way to NATS is cut: connections end and new ones are refused; or nothing is heard, and arrives later. */
export const cuts = ['drop', 'hang'] as const;
export type Cut = (typeof cuts)[number];

/** One fault. Times are in milliseconds: the pause before it, and how long it lasts. */
export type Fault = { readonly afterMs: number; readonly lastsMs: number } & (
  | { readonly kind: Kind; readonly part: Part; readonly replica: number }
  | { readonly kind: 'cut'; readonly how: Cut }
);

export type ScheduleOptions = {
  readonly seed: number;
  readonly faults: number;
  /** How many of the faults are cuts of NATS, and how long each lasts, in milliseconds. */
  readonly cuts: number;
  readonly cutMs: number;
  /** Time to live of a heartbeat, in milliseconds: freezes last from a part of it to several. */
  readonly ttlMs: number;
  /** How many there are of each part; one of which there is none is not struck. */
  readonly replicas: Readonly<Record<Part, number>>;
};

/** Longest pause before a fault, in milliseconds. */
const pauseMsMax = 2_000;
/** Longest time that a process is dead before it is started again, in milliseconds. */
const deadMsMax = 2_000;
/** Longest freeze, in times to live. */
const freezeTtlsMax = 7;

/**
 * All faults of a run; the seed decides them. Kinds and parts are dealt like cards: after each round every kind has
 * struck every part once more.
 */
export function scheduleOf({ seed, faults, cuts: cutsWanted, cutMs, ttlMs, replicas }: ScheduleOptions): Fault[] {
  const random = new Random(seed);
  const there = parts.filter((part) => replicas[part] > 0);
  const everyStrike = kinds.flatMap((kind) => there.map((part) => ({ kind, part })));
  const strikes: { kind: Kind; part: Part }[] = [];
  while (strikes.length < faults - cutsWanted) strikes.push(...shuffled(random, everyStrike));
  const all: Fault[] = strikes.slice(0, faults - cutsWanted).map(({ kind, part }) => ({
    kind,
    part,
    replica: random.whole(0, replicas[part] - 1),
    afterMs: random.whole(0, pauseMsMax),
    lastsMs: kind === 'freeze' ? random.whole(ttlMs / 4, ttlMs * freezeTtlsMax) : random.whole(0, deadMsMax),
  }));
  // Cuts come at even distances, never first: people must have something to lose.
  for (let cut = cutsWanted; cut > 0; cut -= 1) {
    const how = cuts[cut % cuts.length] ?? 'drop';
    const at = Math.floor((cut * all.length) / (cutsWanted + 1));
    all.splice(at, 0, { kind: 'cut', how, afterMs: random.whole(0, pauseMsMax), lastsMs: cutMs });
  }
  return all;
}

function shuffled<T>(random: Random, cards: readonly T[]): T[] {
  const all = [...cards];
  for (let last = all.length - 1; last > 0; last -= 1) {
    const other = random.whole(0, last);
    const [one, two] = [all[last], all[other]];
    if (one === undefined || two === undefined) continue;
    all[last] = two;
    all[other] = one;
  }
  return all;
}

/** What a fault is counted as. */
export function nameOf(fault: Fault): string {
  return fault.kind === 'cut' ? `cut nats (${fault.how})` : `${fault.kind} ${fault.part}`;
}
