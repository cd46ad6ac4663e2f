import { setTimeout as delay } from 'node:timers/promises';
import { HttpClient } from '../http-client.ts';
import type { Model } from '../platform.ts';
import { type Quantiles, quantiles } from '../quantiles.ts';
import { scattered, timedReads } from '../timed-reads.ts';
import { cpuBetween } from './measure.ts';
import { usageOf } from './parts.ts';
import { type ServicesPlatform, startServices } from './platform.ts';
import { type SeedSizes, seed } from './seed.ts';

/** A service while nobody asks anything: memory of all its processes, and the share of one core that it uses. */
export type IdleFigures = { readonly name: string; readonly rssMb: number; readonly cpuPercent: number };

/** Many conversations in the log, some of them waiting; times in milliseconds. */
export type ServicesStoredFigures = {
  readonly stored: number;
  readonly waiting: number;
  readonly seedSeconds: number;
  readonly verified: { readonly streams: number; readonly events: number };
  readonly before: readonly IdleFigures[];
  readonly after: readonly IdleFigures[];
  readonly resume: Quantiles;
  readonly get: Quantiles;
  readonly list: Quantiles;
  readonly listWaiting: Quantiles;
};

export type StoredSizes = SeedSizes & { readonly idleSeconds: number; readonly reads: number };

/** Time for the last work to be done before idleness is measured, in milliseconds. */
const settleMs = 5_000;

/** Stores conversations, then looks at what they cost. */
export async function measureStored(
  model: Model,
  sizes: StoredSizes,
  say: (text: string) => void,
): Promise<ServicesStoredFigures> {
  const platform = await startServices(model.address, { orchestrators: 1, stores: 1 });
  // A connection of its own for each part: one that rests for minutes is closed.
  const opened: HttpClient[] = [];
  const open = async (): Promise<HttpClient> => {
    const client = await HttpClient.open(platform.address);
    opened.push(client);
    return client;
  };
  try {
    await delay(settleMs);
    const before = await idle(platform, sizes.idleSeconds);
    const { ids, approvals, seconds, verified } = await seed(platform, await open(), sizes, (done, perSecond) => {
      const minutesLeft = (sizes.stored - done) / perSecond / 60;
      say(
        `${done} of ${sizes.stored} stored, ${perSecond.toFixed(0)} a second; ${minutesLeft.toFixed(1)} minutes left of these`,
      );
    });
    await delay(settleMs);
    const after = await idle(platform, sizes.idleSeconds);
    const client = await open();
    const timed = (path: (index: number) => string) => timedReads(client, sizes.reads, path);
    return {
      stored: ids.length,
      waiting: approvals.length,
      seedSeconds: seconds,
      verified,
      before,
      after,
      get: await timed((index) => `/conversations/${scattered(ids, index)}`),
      list: await timed(() => '/conversations?limit=100'),
      listWaiting: await timed(() => '/conversations?limit=100&status=waiting_approval'),
      resume: await resumes(client, approvals, sizes.reads),
    };
  } finally {
    for (const client of opened) client.close();
    await platform.remove();
  }
}

async function idle(platform: ServicesPlatform, seconds: number): Promise<readonly IdleFigures[]> {
  const before = usageOf(platform.parts());
  await delay(seconds * 1_000);
  const after = usageOf(platform.parts());
  const cpu = new Map(cpuBetween(before, after).map((one) => [one.name, one.seconds]));
  return after.map(({ name, rssMb }) => ({ name, rssMb, cpuPercent: (100 * (cpu.get(name) ?? 0)) / seconds }));
}

/** Of conversations that no orchestrator has in memory: not of the first, which was made through the API. */
async function resumes(client: HttpClient, approvals: readonly string[], count: number): Promise<Quantiles> {
  const stored = approvals.slice(1);
  const measured: number[] = [];
  for (let index = 0; index < Math.min(count, stored.length); index += 1) {
    const { status, body, ms } = await client.post(`/approvals/${scattered(stored, index)}`, { approved: true });
    if (status !== 200 || (JSON.parse(body) as Decided).result.response !== 'The note is erased.')
      throw new Error(`approval: HTTP ${status} ${body}`);
    measured.push(ms);
  }
  return quantiles(measured);
}

type Decided = { readonly result: { readonly response: string } };
