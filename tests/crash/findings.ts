import { callsOf } from '../promises/recorded-calls.ts';
import { check } from './checker.ts';
import { collect } from './evidence.ts';
import type { Notes } from './teller.ts';
import type { World } from './world.ts';

/** What came of a part of the test. */
export type Findings = {
  readonly violations: readonly string[];
  /** Deaths that were brought about. */
  readonly kills: number;
  /** Starts after a death. */
  readonly restarts: number;
  /** Calls that the tools began. */
  readonly calls: number;
  readonly inDoubt: number;
  /** Conversations that lived through a death of the platform, and came to their end. */
  readonly recovered: number;
};

/** Ends a world, lets the checker look at what is left of it, and removes it if nothing is wrong. */
export async function conclude(world: World, notes: Notes): Promise<Findings> {
  const restarts = world.life;
  await world.end();
  const evidence = await collect(world, notes.acknowledged);
  const violations = [...notes.violations, ...check(evidence)];
  const recovered = evidence.conversations.filter(({ events }) => {
    const [from, to] = [events[0]?.time ?? 0, events.at(-1)?.time ?? 0];
    return world.lives.slice(0, -1).some(({ endedAt }) => endedAt >= from && endedAt <= to);
  }).length;
  const inDoubt = evidence.conversations.flatMap(callsOf).reduce((sum, call) => sum + call.doubts.length, 0);
  // The last life ended in good order.
  const kills = evidence.deaths.length - 1;
  if (violations.length === 0 || world.options.keepEvidence === false) world.remove();
  else violations.push(`what is left of it is in ${world.folder}`);
  return { violations, kills, restarts, calls: evidence.toolRuns.length, inDoubt, recovered };
}

/** Everything of several parts. */
export function total(parts: readonly Findings[]): Findings {
  const sum = (of: (one: Findings) => number): number => parts.reduce((all, one) => all + of(one), 0);
  return {
    violations: parts.flatMap((one) => one.violations),
    kills: sum((one) => one.kills),
    restarts: sum((one) => one.restarts),
    calls: sum((one) => one.calls),
    inDoubt: sum((one) => one.inDoubt),
    recovered: sum((one) => one.recovered),
  };
}
