import { setTimeout as delay } from 'node:timers/promises';
import type { HttpClient } from '../http-client.ts';
import type { Model } from '../platform.ts';
import { type Quantiles, quantiles } from '../quantiles.ts';
import { concurrently, destructive, openClients } from '../turn.ts';
import { cpuBetween } from './measure.ts';
import { type Usage, usageOf } from './parts.ts';
import { type ServicesPlatform, type Shape, startServices } from './platform.ts';

/** A service while nobody asks anything: memory of all its processes, and the share of one core that it uses. */
export type IdleFigures = { readonly name: string; readonly rssMb: number; readonly cpuPercent: number };

/** Many conversations in the log, some of them waiting; times in milliseconds. */
export type ServicesStoredFigures = {
  readonly stored: number;
  readonly waiting: number;
  readonly seedSeconds: number;
  readonly before: readonly IdleFigures[];
  readonly after: readonly IdleFigures[];
  readonly resume: Quantiles;
  readonly get: Quantiles;
  readonly list: Quantiles;
  readonly listWaiting: Quantiles;
};

export type StoredSizes = {
  readonly stored: number;
  readonly waiting: number;
  readonly idleSeconds: number;
  readonly reads: number;
};

const connections = 50;
/** Time for the last work to be done before idleness is measured, in milliseconds. */
const settleMs = 5_000;

/** Stores conversations through the API, then looks at what they cost. */
export async function measureStored(model: Model, shape: Shape, sizes: StoredSizes): Promise<ServicesStoredFigures> {
  const platform = await startServices(model.address, shape);
  const clients = await openClients(platform.address, connections);
  try {
    const before = await idle(platform, sizes.idleSeconds);
    const began = performance.now();
    const { ids, approvals } = await seed(clients, sizes);
    const seedSeconds = (performance.now() - began) / 1_000;
    await delay(settleMs);
    const after = await idle(platform, sizes.idleSeconds);
    const client = clients[0] as HttpClient;
    const pick = (list: readonly string[], index: number): string => list[(index * 7_919) % list.length] ?? '';
    const timed = (path: (index: number) => string) => times(client, sizes.reads, path);
    return {
      stored: sizes.stored,
      waiting: approvals.length,
      seedSeconds,
      before,
      after,
      get: await timed((index) => `/conversations/${pick(ids, index)}`),
      list: await timed(() => '/conversations?limit=100'),
      listWaiting: await timed(() => '/conversations?limit=100&status=waiting_approval'),
      resume: await resumes(client, approvals.slice(0, sizes.reads)),
    };
  } finally {
    for (const client of clients) client.close();
    await platform.remove();
  }
}

async function idle(platform: ServicesPlatform, seconds: number): Promise<readonly IdleFigures[]> {
  const before: readonly Usage[] = usageOf(platform.parts());
  await delay(seconds * 1_000);
  const after = usageOf(platform.parts());
  const cpu = new Map(cpuBetween(before, after).map((one) => [one.name, one.seconds]));
  return after.map(({ name, rssMb }) => ({ name, rssMb, cpuPercent: (100 * (cpu.get(name) ?? 0)) / seconds }));
}

async function seed(clients: readonly HttpClient[], { stored, waiting }: StoredSizes) {
  const ids: string[] = [];
  const approvals: string[] = [];
  const every = Math.max(1, Math.floor(stored / waiting));
  await concurrently(clients, Array.from({ length: stored }), async (client, _, index) => {
    const isWaiting = index % every === 0;
    const message = isWaiting ? destructive(String(index)) : `note number ${index} is about herons and their nests`;
    const { status, body } = await client.post('/conversations', { message });
    if (status !== 201) throw new Error(`create: HTTP ${status} ${body}`);
    const answer = JSON.parse(body) as Created;
    ids.push(answer.conversation.id);
    if (answer.result.approval !== undefined) approvals.push(answer.result.approval.uuid);
  });
  return { ids, approvals };
}

type Created = {
  readonly conversation: { readonly id: string };
  readonly result: { readonly approval?: { readonly uuid: string } };
};

/** Of conversations that have waited since long before: nothing of them is in any memory. */
async function resumes(client: HttpClient, approvals: readonly string[]): Promise<Quantiles> {
  const measured: number[] = [];
  for (const uuid of approvals) {
    const { status, body, ms } = await client.post(`/approvals/${uuid}`, { approved: true });
    if (status !== 200) throw new Error(`approval: HTTP ${status} ${body}`);
    measured.push(ms);
  }
  return quantiles(measured);
}

async function times(client: HttpClient, count: number, path: (index: number) => string): Promise<Quantiles> {
  const measured: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const { status, body, ms } = await client.get(path(index));
    if (status !== 200) throw new Error(`${path(index)}: HTTP ${status} ${body}`);
    measured.push(ms);
  }
  return quantiles(measured);
}
