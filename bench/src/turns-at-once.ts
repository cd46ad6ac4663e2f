import { quantiles } from './quantiles.ts';
import { concurrently, createConversation, openClients, stopAndGo } from './turn.ts';

/** Turns with so many conversations at once; times in milliseconds. */
export type TurnTimes = {
  readonly concurrent: number;
  readonly turnsPerSecond: number;
  readonly stopP50: number;
  readonly stopP95: number;
  readonly stopP99: number;
  readonly goP50: number;
  readonly goP95: number;
  readonly goP99: number;
};

/** How many turns, with how many conversations at once. */
export type TurnCount = { readonly concurrent: number; readonly turns: number };

/**
 * Runs turns, each on a conversation of its own that is there before the clock starts. `usage` is looked at right before
 * the first turn and right after the last.
 */
export async function turnsAtOnce<U>(
  address: string,
  { concurrent, turns: count }: TurnCount,
  usage: () => U,
): Promise<{ readonly times: TurnTimes; readonly before: U; readonly after: U }> {
  const clients = await openClients(address, concurrent);
  try {
    const conversations: string[] = [];
    await concurrently(clients, Array.from({ length: count }), async (client) => {
      conversations.push(await createConversation(client));
    });
    const stops: number[] = [];
    const goes: number[] = [];
    const before = usage();
    const began = performance.now();
    await concurrently(clients, conversations, async (client, conversation, index) => {
      const { stopMs, goMs } = await stopAndGo(client, conversation, String(index));
      stops.push(stopMs);
      goes.push(goMs);
    });
    const seconds = (performance.now() - began) / 1_000;
    const after = usage();
    const [stop, go] = [quantiles(stops), quantiles(goes)];
    const times = {
      concurrent,
      turnsPerSecond: count / seconds,
      stopP50: stop.p50,
      stopP95: stop.p95,
      stopP99: stop.p99,
      goP50: go.p50,
      goP95: go.p95,
      goP99: go.p99,
    };
    return { times, before, after };
  } finally {
    for (const client of clients) client.close();
  }
}
