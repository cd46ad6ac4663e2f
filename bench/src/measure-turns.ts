import { setTimeout as delay } from 'node:timers/promises';
import { cpuSecondsOf, memoryMbOf } from './process-tree.ts';
import type { Subject } from './subject.ts';
import { type TurnCount, type TurnTimes, turnsAtOnce } from './turns-at-once.ts';

/** Turns, with the CPU of the subject's own processes, and of those with its tool servers. */
export type TurnFigures = TurnTimes & { readonly cpuMsPerTurn: number; readonly treeCpuMsPerTurn: number };

/** One start of a subject, and what it used: its own processes, and those with its tool servers. Memory in MB (10^6 bytes). */
export type ProcessFigures = {
  readonly readyMs: number;
  readonly idleRssMb: number;
  readonly idleTreeRssMb: number;
  /** Of all processes together, the share of one core in percent. */
  readonly idleCpuPercent: number;
  readonly peakRssMb: number;
  readonly peakTreeRssMb: number;
  readonly rssAfterMb: number;
  readonly treeRssAfterMb: number;
};

/** What {@link measureTurns} does. */
export type TurnSizes = {
  readonly turns: readonly TurnCount[];
  readonly warmUpTurns: number;
  readonly idleSeconds: number;
};

/** Measures all concurrencies one after the other on one subject. */
export async function measureTurns(
  { address, readyMs, own, tree }: Subject,
  sizes: TurnSizes,
): Promise<{ readonly turns: readonly TurnFigures[]; readonly process: ProcessFigures }> {
  const memory = () => ({ own: memoryMbOf(own()), tree: memoryMbOf(tree()) });
  const cpu = () => ({ own: cpuSecondsOf(own()), tree: cpuSecondsOf(tree()) });
  const idle = memory();
  await turnsAtOnce(address, { concurrent: 50, turns: sizes.warmUpTurns }, cpu);
  const turns: TurnFigures[] = [];
  for (const count of sizes.turns) {
    const { times, before, after } = await turnsAtOnce(address, count, cpu);
    const msPerTurn = (of: 'own' | 'tree'): number => (1_000 * (after[of] - before[of])) / count.turns;
    turns.push({ ...times, cpuMsPerTurn: msPerTurn('own'), treeCpuMsPerTurn: msPerTurn('tree') });
  }
  const before = cpu().tree;
  await delay(sizes.idleSeconds * 1_000);
  const idleCpuPercent = (100 * (cpu().tree - before)) / sizes.idleSeconds;
  const after = memory();
  const process = {
    readyMs,
    idleRssMb: idle.own.now,
    idleTreeRssMb: idle.tree.now,
    idleCpuPercent,
    peakRssMb: after.own.peak,
    peakTreeRssMb: after.tree.peak,
    rssAfterMb: after.own.now,
    treeRssAfterMb: after.tree.now,
  };
  return { turns, process };
}
