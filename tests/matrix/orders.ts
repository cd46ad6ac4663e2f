import type { Drop } from './drop.ts';

/** All orders of some things. */
export function permutations<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((one, index) =>
    permutations([...all.slice(0, index), ...all.slice(index + 1)]).map((rest) => [one, ...rest]),
  );
}

/** `idle`: nobody is there when the decision is taken; else where the orchestrator is dropped that acts upon it. */
export type Crash = { readonly name: string; readonly drop: Drop | 'idle' };

const one: readonly Crash[] = [
  { name: 'nobody there', drop: 'idle' },
  { name: 'before the claim', drop: { point: 'append.before', nth: 1 } },
  { name: 'started, not sent', drop: { point: 'append.after', nth: 1 } },
  { name: 'ran, unheard', drop: { point: 'execute.after', nth: 1 } },
  { name: 'recorded', drop: { point: 'append.after', nth: 2 } },
];

/** The places in what follows a decision; after the last decision of a branch its model is asked too. */
export function crashesAfter(isLastOfBranch: boolean): readonly Crash[] {
  if (!isLastOfBranch) return one;
  return [
    ...one,
    { name: 'answered, unheard', drop: { point: 'model.after', nth: 1 } },
    { name: 'branch recorded', drop: { point: 'append.after', nth: 3 } },
  ];
}

/** Which pairs of a prefix of an order and a crash after it have been told. */
export class Coverage {
  private readonly told = new Map<string, Map<string, number>>();

  /** The crash after this prefix that was told least. */
  next(prefix: readonly string[], crashes: readonly Crash[]): Crash {
    const counts = this.countsOf(prefix, crashes);
    const fewest = Math.min(...counts.values());
    const found = crashes.find(({ name }) => counts.get(name) === fewest);
    if (found === undefined) throw new Error('there is no place to crash at');
    return found;
  }

  note(prefix: readonly string[], crashes: readonly Crash[], { name }: Crash): void {
    const counts = this.countsOf(prefix, crashes);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  /** True if this prefix was told with each of these crashes. */
  isWhole(prefix: readonly string[], crashes: readonly Crash[]): boolean {
    return Math.min(...this.countsOf(prefix, crashes).values()) > 0;
  }

  /** Pairs that were told and pairs that there are, by the length of the prefix (from 1). */
  byLength(): readonly { readonly told: number; readonly all: number }[] {
    const sums: { told: number; all: number }[] = [];
    for (const [prefix, counts] of this.told) {
      const length = prefix.split(' ').length;
      while (sums.length < length) sums.push({ told: 0, all: 0 });
      const sum = sums[length - 1];
      if (sum === undefined) continue;
      sum.all += counts.size;
      sum.told += [...counts.values()].filter((count) => count > 0).length;
    }
    return sums;
  }

  private countsOf(prefix: readonly string[], crashes: readonly Crash[]): Map<string, number> {
    const key = prefix.join(' ');
    const counts = this.told.get(key) ?? new Map(crashes.map(({ name }) => [name, 0]));
    this.told.set(key, counts);
    return counts;
  }
}
