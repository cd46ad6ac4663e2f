import { setTimeout as delay } from 'node:timers/promises';
import type { Platform } from './platform.ts';
import { cpuSeconds, memoryMb } from './process-usage.ts';
import { type TurnCount, type TurnTimes, turnsAtOnce } from './turns-at-once.ts';

/** Turns, with the CPU of the platform's process alone. */
export type TurnFigures = TurnTimes & { readonly cpuMsPerTurn: number };

/** One start of the platform, and what it used. */
export type ProcessFigures = {
  readonly readyMs: number;
  readonly idleRssMb: number;
  readonly idleCpuPercent: number;
  readonly peakRssMb: number;
  readonly rssAfterMb: number;
};

/** What {@link measureTurns} does. */
export type TurnSizes = {
  readonly turns: readonly TurnCount[];
  readonly warmUpTurns: number;
  readonly idleSeconds: number;
};

/** Measures all concurrencies one after the other on one platform. */
export async function measureTurns(
  { address, pid, readyMs }: Platform,
  sizes: TurnSizes,
): Promise<{ readonly turns: readonly TurnFigures[]; readonly process: ProcessFigures }> {
  const idleRssMb = memoryMb(pid).now;
  const cpu = () => cpuSeconds(pid);
  await turnsAtOnce(address, { concurrent: 50, turns: sizes.warmUpTurns }, cpu);
  const turns: TurnFigures[] = [];
  for (const count of sizes.turns) {
    const { times, before, after } = await turnsAtOnce(address, count, cpu);
    turns.push({ ...times, cpuMsPerTurn: (1_000 * (after - before)) / count.turns });
  }
  const before = cpu();
  await delay(sizes.idleSeconds * 1_000);
  const idleCpuPercent = (100 * (cpu() - before)) / sizes.idleSeconds;
  const { now, peak } = memoryMb(pid);
  return { turns, process: { readyMs, idleRssMb, idleCpuPercent, peakRssMb: peak, rssAfterMb: now } };
}
