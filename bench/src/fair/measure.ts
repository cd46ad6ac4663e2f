import type { HttpClient } from '../http-client.ts';
import { median, quantiles } from '../quantiles.ts';
import type { RowName } from '../rows.ts';
import { rotated } from '../rows-over.ts';
import { startRow } from '../start-row.ts';
import { createConversation, erasing, openClients, turnOf } from '../turn.ts';
import { fill, guestTurn, ordinaryTool, toolServers } from './guests.ts';
import { type FairRun, type Guest, guestNames, ordinaryOf, type Setting } from './runs.ts';

/** How much is done: turns of ordinary conversations in each run, and messages in the large conversation before the first. */
export type FairSizes = {
  readonly atOnce: readonly number[];
  /** A run has so many turns at least, and goes on for so long at least that each guest has made a turn or two. */
  readonly turns: number;
  readonly seconds: number;
  readonly warmUpTurns: number;
  readonly largeMessages: number;
};

/** Everybody on one quick server; then ten servers, of which one is slow. */
const settings: readonly { readonly quickServers: number; readonly beside: readonly (readonly Guest[])[] }[] = [
  { quickServers: 1, beside: [[], ...guestNames.map((guest) => [guest]), guestNames] },
  { quickServers: 9, beside: [[], ['slow tool']] },
];

/**
 * Measures all settings once, each on a fresh start. Guests come in another order in each pass (from 1): a process that has run
 * for longer is faster.
 */
export async function measureFair(
  row: RowName,
  modelAddress: string,
  sizes: FairSizes,
  pass: number,
): Promise<readonly FairRun[]> {
  const runs: FairRun[] = [];
  for (const { quickServers, beside } of settings) {
    const more = { mcp_servers: toolServers(quickServers) };
    const { address, remove } = await startRow(row, modelAddress, { nodeOptions: [], more });
    try {
      const large = await largeConversation(address, sizes.largeMessages);
      await run(address, { large, quickServers, concurrent: 50, guests: [], turns: sizes.warmUpTurns, seconds: 0 });
      for (const concurrent of sizes.atOnce)
        for (const guests of rotated(beside, pass - 1))
          runs.push(await run(address, { large, quickServers, concurrent, guests, ...sizes }));
    } finally {
      await remove();
    }
  }
  return runs;
}

async function largeConversation(address: string, messages: number): Promise<string> {
  const [client] = await openClients(address, 1);
  if (client === undefined) throw new Error('no connection');
  try {
    const conversation = await createConversation(client);
    await fill(client, conversation, messages);
    return conversation;
  } finally {
    client.close();
  }
}

type Asked = Setting & Pick<FairSizes, 'turns' | 'seconds'> & { readonly large: string };

/** Turns of ordinary conversations, each on one of its own, while guests make turn after turn. */
async function run(
  address: string,
  { large, quickServers, concurrent, guests, turns, seconds }: Asked,
): Promise<FairRun> {
  const clients = await openClients(address, ordinaryOf(concurrent));
  const [stops, goes]: [number[], number[]] = [[], []];
  let isOver = false;
  const beGuest = async (guest: Guest): Promise<readonly [Guest, number]> => {
    const [client] = await openClients(address, 1);
    const took: number[] = [];
    try {
      const conversation = guest === 'large conversation' ? large : await createConversation(client as HttpClient);
      while (!isOver) {
        const { stopMs, goMs } = await guestTurn(guest, client as HttpClient, conversation, String(took.length));
        took.push(stopMs + goMs);
      }
      return [guest, median(took)];
    } finally {
      client?.close();
    }
  };
  try {
    const besides = Promise.all(guests.map(beGuest));
    const began = performance.now();
    const isEnough = (): boolean => stops.length >= turns && performance.now() - began >= 1_000 * seconds;
    const beOrdinary = async (client: HttpClient, index: number): Promise<void> => {
      for (let turn = 0; !isEnough(); turn += 1) {
        const message = erasing(`${index}-${turn}`, ordinaryTool((index + turn) % quickServers));
        const { stopMs, goMs } = await turnOf(client, await createConversation(client), message);
        stops.push(stopMs);
        goes.push(goMs);
      }
    };
    const ordinary = Promise.all(clients.map(beOrdinary));
    // A guest that fails ends the run at once.
    await Promise.race([ordinary, besides.then(() => ordinary)]);
    const turnsPerSecond = (1_000 * stops.length) / (performance.now() - began);
    isOver = true;
    const guestMs = Object.fromEntries(await besides);
    const [stop, go] = [quantiles(stops), quantiles(goes)];
    const times = {
      turnsPerSecond,
      ...{ stopP50: stop.p50, stopP95: stop.p95, stopMax: Math.max(...stops) },
      ...{ goP50: go.p50, goP95: go.p95, goMax: Math.max(...goes) },
    };
    return { quickServers, concurrent, guests, times, guestMs };
  } finally {
    isOver = true;
    for (const client of clients) client.close();
  }
}
