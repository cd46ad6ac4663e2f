import { setTimeout as delay } from 'node:timers/promises';
import type { Platform } from './platform.ts';
import { cpuSeconds, memoryMb } from './process-usage.ts';
import { quantiles } from './quantiles.ts';
import type { Sizes } from './sizes.ts';
import { concurrently, createConversation, openClients, stopAndGo } from './turn.ts';

/** Turns with so many conversations at once; times in milliseconds, CPU of the platform's process alone. */
export type TurnFigures = {
  readonly concurrent: number;
  readonly turnsPerSecond: number;
  readonly stopP50: number;
  readonly stopP95: number;
  readonly stopP99: number;
  readonly goP50: number;
  readonly goP95: number;
  readonly goP99: number;
  readonly cpuMsPerTurn: number;
};

/** One start of the platform, and what it used. */
export type ProcessFigures = {
  readonly readyMs: number;
  readonly idleRssMb: number;
  readonly idleCpuPercent: number;
  readonly peakRssMb: number;
  readonly rssAfterMb: number;
};

/** Measures all concurrencies one after the other on one platform. */
export async function measureTurns(
  platform: Platform,
  sizes: Sizes,
): Promise<{ readonly turns: readonly TurnFigures[]; readonly process: ProcessFigures }> {
  const { pid, readyMs } = platform;
  const idleRssMb = memoryMb(pid).now;
  await turnsAtOnce(platform, 50, sizes.warmUpTurns);
  const turns: TurnFigures[] = [];
  for (const { concurrent, turns: count } of sizes.turns) turns.push(await turnsAtOnce(platform, concurrent, count));
  const before = cpuSeconds(pid);
  await delay(sizes.idleSeconds * 1_000);
  const idleCpuPercent = (100 * (cpuSeconds(pid) - before)) / sizes.idleSeconds;
  const { now, peak } = memoryMb(pid);
  return { turns, process: { readyMs, idleRssMb, idleCpuPercent, peakRssMb: peak, rssAfterMb: now } };
}

/** Each turn has a conversation of its own, which is there before the clock starts. */
async function turnsAtOnce({ address, pid }: Platform, concurrent: number, count: number): Promise<TurnFigures> {
  const clients = await openClients(address, concurrent);
  try {
    const conversations: string[] = [];
    await concurrently(clients, Array.from({ length: count }), async (client) => {
      conversations.push(await createConversation(client));
    });
    const stops: number[] = [];
    const goes: number[] = [];
    const cpuBefore = cpuSeconds(pid);
    const began = performance.now();
    await concurrently(clients, conversations, async (client, conversation, index) => {
      const { stopMs, goMs } = await stopAndGo(client, conversation, String(index));
      stops.push(stopMs);
      goes.push(goMs);
    });
    const seconds = (performance.now() - began) / 1_000;
    const cpu = cpuSeconds(pid) - cpuBefore;
    const [stop, go] = [quantiles(stops), quantiles(goes)];
    return {
      concurrent,
      turnsPerSecond: count / seconds,
      stopP50: stop.p50,
      stopP95: stop.p95,
      stopP99: stop.p99,
      goP50: go.p50,
      goP95: go.p95,
      goP99: go.p99,
      cpuMsPerTurn: (1_000 * cpu) / count,
    };
  } finally {
    for (const client of clients) client.close();
  }
}
