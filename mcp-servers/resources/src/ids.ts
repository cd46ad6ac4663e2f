/** The current Unix time in nanoseconds. */
export type NanosecondClock = () => bigint;

/**
 * Gives the moment of each new resource in Unix nanoseconds, which is also its id. Every moment is later than the one
 * before, so two resources made in the same tick of the clock, or after the clock went back, still differ.
 */
export function increasingMoments(clock: NanosecondClock): () => bigint {
  let last = 0n;
  return () => {
    const now = clock();
    last = now > last ? now : last + 1n;
    return last;
  };
}

/** Unix nanoseconds as RFC 3339 in UTC, to the millisecond. */
export function rfc3339(nanoseconds: bigint): string {
  return new Date(Number(nanoseconds / 1_000_000n)).toISOString();
}
