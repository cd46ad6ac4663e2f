import { failuresMax, leftAloneMs } from './bounds.ts';

/** What is remembered of how an agent could be reached. */
export type Breaker = {
  /** Failures since the last answer. */
  readonly failures: number;
  /** Until then nobody tries, in milliseconds of a clock that never jumps. */
  readonly leftAloneUntil: number;
};

export const trusted: Breaker = { failures: 0, leftAloneUntil: Number.NEGATIVE_INFINITY };

/** The agent could not be reached, or was lost. */
export function afterFailure({ failures }: Breaker, nowMs: number): Breaker {
  const counted = failures + 1;
  return { failures: counted, leftAloneUntil: counted < failuresMax ? trusted.leftAloneUntil : nowMs + leftAloneMs };
}

/**
 * Whether an agent may be tried now. One that has failed too often is left alone for a while; then one caller may try, and
 * the others wait for what comes of that, or for another while.
 */
export function admitted(breaker: Breaker, nowMs: number): Breaker | undefined {
  if (breaker.failures < failuresMax) return breaker;
  if (nowMs < breaker.leftAloneUntil) return undefined;
  return { ...breaker, leftAloneUntil: nowMs + leftAloneMs };
}
