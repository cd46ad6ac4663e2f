import { setTimeout as delay } from 'node:timers/promises';
import type { HttpClient } from '../http-client.ts';
import type { Model } from '../platform.ts';
import { median } from '../quantiles.ts';
import { openClients } from '../turn.ts';
import { type ServicesPlatform, startServices } from './platform.ts';

/** What it took until runs whose driver was killed went on, in milliseconds, over all kills. */
export type TakeoverFigures = {
  readonly kills: number;
  /** Runs that were under way at the kills, and those of them whose driver it was. */
  readonly runs: number;
  readonly takenOver: number;
  readonly medianMs: number;
  readonly maxMs: number;
};

export type TakeoverSizes = { readonly kills: number; readonly runsPerKill: number };

/** How long the model takes, in milliseconds: the runs are under way all that time. */
const modelMs = 3_000;
/** Where the time of a kill is measured from: all runs have begun by then. */
const beginMs = 1_000;
/** Until an orchestrator that was started again is known to everybody, after its process is there, in milliseconds. */
const settleMs = 3_000;
const pollMs = 20;
const giveUpMs = 60_000;

/**
 * Kills one of two orchestrators while it drives runs, again and again: each time the one that has run for longer. Runs of
 * the other are done when the model is; of the rest the time from the kill until they were asked of the model again is
 * measured.
 */
export async function measureTakeover(model: Model, { kills, runsPerKill }: TakeoverSizes): Promise<TakeoverFigures> {
  const recovered: number[] = [];
  const platform = await startServices(model.address, { orchestrators: 2, stores: 1 });
  const clients = await openClients(platform.address, runsPerKill);
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const driver = await olderOfTwo(platform);
      const ids = await Promise.all(clients.map(begin));
      await delay(beginMs);
      const killedAt = performance.now();
      process.kill(driver, 'SIGKILL');
      const done = await Promise.all(clients.map((client, index) => settled(client, ids[index] ?? '', killedAt)));
      recovered.push(...done.map((ms) => ms - modelMs).filter((ms) => ms > 0));
    }
  } finally {
    for (const client of clients) client.close();
    await platform.remove();
  }
  return {
    kills,
    runs: kills * runsPerKill,
    takenOver: recovered.length,
    medianMs: median(recovered),
    maxMs: Math.max(...recovered),
  };
}

/** The process of the orchestrator that was started first, once there are two. */
async function olderOfTwo(platform: ServicesPlatform): Promise<number> {
  const deadline = performance.now() + giveUpMs;
  for (;;) {
    const running = platform.parts().filter(({ name }) => name === 'orchestrator');
    const pids = running.map(({ pid }) => pid).sort((a, b) => a - b);
    const [older] = pids;
    if (older !== undefined && pids.length === 2) {
      await delay(settleMs);
      return older;
    }
    if (performance.now() > deadline) throw new Error(`${pids.length} of 2 orchestrators run`);
    await delay(pollMs);
  }
}

async function begin(client: HttpClient): Promise<string> {
  const { status, body } = await client.post('/conversations', { message: `wait ${modelMs}` }, 'respond-async');
  if (status !== 201 && status !== 202) throw new Error(`create: HTTP ${status} ${body}`);
  return (JSON.parse(body) as { conversation: { id: string } }).conversation.id;
}

/** Milliseconds from a moment until the conversation's run is completed. */
async function settled(client: HttpClient, id: string, since: number): Promise<number> {
  for (;;) {
    const passed = performance.now() - since;
    if (passed > giveUpMs) throw new Error(`the run of ${id} is not done ${giveUpMs} ms after the kill`);
    const { status, body } = await client.get(`/conversations/${id}`);
    if (status === 200) {
      const { run } = (JSON.parse(body) as { conversation: { run?: { status: string } } }).conversation;
      if (run?.status === 'completed') return passed;
      if (run?.status === 'failed') throw new Error(`the run of ${id} failed: ${body}`);
    }
    await delay(pollMs);
  }
}
