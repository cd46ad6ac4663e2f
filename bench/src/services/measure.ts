import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../platform.ts';
import { quantiles } from '../quantiles.ts';
import { concurrently, createConversation, openClients, stopAndGo } from '../turn.ts';
import { type Usage, usageOf } from './parts.ts';
import { type ServicesPlatform, type Shape, startServices } from './platform.ts';

/** CPU of all processes of one service, in milliseconds per turn. */
export type CpuOfService = { readonly name: string; readonly cpuMsPerTurn: number };

/** Turns on one shape with so many conversations at once; times in milliseconds. */
export type ServicesTurnFigures = {
  readonly shape: Shape;
  readonly concurrent: number;
  readonly turnsPerSecond: number;
  readonly stopP50: number;
  readonly stopP95: number;
  readonly goP50: number;
  readonly goP95: number;
  readonly cpu: readonly CpuOfService[];
};

/** One start of a shape, ready and after the turns. */
export type ServicesFigures = {
  readonly shape: Shape;
  readonly readyMs: number;
  readonly idle: readonly Usage[];
  readonly after: readonly Usage[];
  readonly turns: readonly ServicesTurnFigures[];
};

/** Internal calls of one turn alone, by method; heartbeats, follows and health apart. */
export type CallsPerTurn = { readonly total: number; readonly byMethod: Readonly<Record<string, number>> };

export type ServicesSizes = {
  readonly shapes: readonly Shape[];
  readonly turns: readonly { readonly concurrent: number; readonly turns: number }[];
  readonly warmUpTurns: number;
};

/** Measures every shape, each on a fresh start. */
export async function measureServices(
  model: Model,
  sizes: ServicesSizes,
  say: (text: string) => void,
): Promise<readonly ServicesFigures[]> {
  const figures: ServicesFigures[] = [];
  for (const shape of sizes.shapes) {
    say(`services over NATS: ${shape.orchestrators} orchestrators, ${shape.stores} stores`);
    const platform = await startServices(model.address, shape);
    try {
      figures.push(await measureShape(platform, sizes));
    } finally {
      await platform.remove();
    }
  }
  return figures;
}

async function measureShape(platform: ServicesPlatform, sizes: ServicesSizes): Promise<ServicesFigures> {
  const { shape, readyMs } = platform;
  const idle = usageOf(platform.parts());
  await turnsAtOnce(platform, 50, sizes.warmUpTurns);
  const turns: ServicesTurnFigures[] = [];
  for (const { concurrent, turns: count } of sizes.turns) turns.push(await turnsAtOnce(platform, concurrent, count));
  return { shape, readyMs, idle, after: usageOf(platform.parts()), turns };
}

async function turnsAtOnce(
  platform: ServicesPlatform,
  concurrent: number,
  count: number,
): Promise<ServicesTurnFigures> {
  const clients = await openClients(platform.address, concurrent);
  try {
    const conversations: string[] = [];
    await concurrently(clients, Array.from({ length: count }), async (client) => {
      conversations.push(await createConversation(client));
    });
    const stops: number[] = [];
    const goes: number[] = [];
    const before = usageOf(platform.parts());
    const began = performance.now();
    await concurrently(clients, conversations, async (client, conversation, index) => {
      const { stopMs, goMs } = await stopAndGo(client, conversation, String(index));
      stops.push(stopMs);
      goes.push(goMs);
    });
    const seconds = (performance.now() - began) / 1_000;
    const cpu = cpuBetween(before, usageOf(platform.parts())).map(({ name, seconds: used }) => ({
      name,
      cpuMsPerTurn: (1_000 * used) / count,
    }));
    const [stop, go] = [quantiles(stops), quantiles(goes)];
    return {
      shape: platform.shape,
      concurrent,
      turnsPerSecond: count / seconds,
      stopP50: stop.p50,
      stopP95: stop.p95,
      goP50: go.p50,
      goP95: go.p95,
      cpu,
    };
  } finally {
    for (const client of clients) client.close();
  }
}

/** CPU that was used between two looks, by service. */
export function cpuBetween(
  before: readonly Usage[],
  after: readonly Usage[],
): readonly { readonly name: string; readonly seconds: number }[] {
  const earlier = new Map(before.map((one) => [one.name, one.cpuSeconds]));
  return after.map(({ name, cpuSeconds }) => ({ name, seconds: cpuSeconds - (earlier.get(name) ?? 0) }));
}

const notOfATurn =
  /Heartbeat|Follow|Subscribe|WatchDeltas|PublishDelta|ListOpenRuns|ListTools|Health|CreateConversation/;

/** Counts the lines that the services write for each internal call at log level debug, over turns one after the other. */
export async function countCalls(model: Model, shape: Shape, turns: number): Promise<CallsPerTurn> {
  const platform = await startServices(model.address, shape, 'debug');
  try {
    const [client] = await openClients(platform.address, 1);
    if (client === undefined) throw new Error('no connection');
    const conversations: string[] = [];
    for (let turn = 0; turn < turns; turn += 1) conversations.push(await createConversation(client));
    await delay(quietMs);
    const before = platform.output().length;
    for (const [index, conversation] of conversations.entries()) await stopAndGo(client, conversation, String(index));
    await delay(quietMs);
    client.close();
    return callsIn(platform.output().slice(before), turns);
  } finally {
    await platform.remove();
  }
}

/** Long enough for the last lines of a turn to arrive, in milliseconds. */
const quietMs = 1_000;

function callsIn(output: string, turns: number): CallsPerTurn {
  const counts = new Map<string, number>();
  for (const [, method = ''] of output.matchAll(/\bgrpc \/?(\S+)/g))
    if (!notOfATurn.test(method)) counts.set(method, (counts.get(method) ?? 0) + 1);
  const perTurn = [...counts].map(([method, count]) => [method, count / turns] as const);
  return {
    total: perTurn.reduce((sum, [, count]) => sum + count, 0),
    byMethod: Object.fromEntries(perTurn),
  };
}
