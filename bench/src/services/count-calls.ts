import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../platform.ts';
import { createConversation, openClients, stopAndGo } from '../turn.ts';
import { type Shape, startServices } from './platform.ts';

/** Internal calls of one turn alone, by method; heartbeats, follows and health apart. */
export type CallsPerTurn = {
  readonly shape: Shape;
  readonly total: number;
  readonly byMethod: Readonly<Record<string, number>>;
};

const notOfATurn =
  /Heartbeat|Follow|Subscribe|WatchDeltas|PublishDelta|ListOpenRuns|ListTools|Health|CreateConversation/;
/** Long enough for the last lines of a turn to arrive, in milliseconds. */
const quietMs = 1_000;

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
    return { shape, ...callsIn(platform.output().slice(before), turns) };
  } finally {
    await platform.remove();
  }
}

function callsIn(output: string, turns: number): Omit<CallsPerTurn, 'shape'> {
  const counts = new Map<string, number>();
  for (const [, method = ''] of output.matchAll(/\bgrpc \/?(\S+)/g))
    if (!notOfATurn.test(method)) counts.set(method, (counts.get(method) ?? 0) + 1);
  const perTurn = [...counts].map(([method, count]) => [method, count / turns] as const);
  return {
    total: perTurn.reduce((sum, [, count]) => sum + count, 0),
    byMethod: Object.fromEntries(perTurn),
  };
}
