/** The usual three of some durations, in milliseconds. */
export type Quantiles = { readonly p50: number; readonly p95: number; readonly p99: number };

/** Quantiles by the nearest rank. Throws if there is nothing to rank. */
export function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => {
    const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
    if (value === undefined) throw new Error('nothing was measured');
    return value;
  };
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** The middle one of several passes. */
export function median(values: readonly number[]): number {
  return quantiles(values).p50;
}

/** The median of each number of several records of the same shape. */
export function medians<T extends { readonly [name: string]: number }>(passes: readonly T[]): T {
  const [first] = passes;
  if (first === undefined) throw new Error('nothing was measured');
  const of = (name: string): number => median(passes.map((pass) => pass[name] ?? Number.NaN));
  return Object.fromEntries(Object.keys(first).map((name) => [name, of(name)])) as T;
}
