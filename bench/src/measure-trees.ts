import type { HttpClient } from './http-client.ts';
import { quantiles } from './quantiles.ts';
import type { TreeShape } from './tree-shapes.ts';
import { concurrently, createConversation, openClients } from './turn.ts';

/** Turns of a tree; times in milliseconds. */
export type TreeFigures = {
  readonly name: string;
  readonly approvals: number;
  readonly concurrent: number;
  readonly turnsPerSecond: number;
  /** From the message up to the answer, or to the wait for approvals. */
  readonly messageP50: number;
  readonly messageP95: number;
  /** From the first approval (each is given by itself, all at once) until the run has settled; 0 without approvals. */
  readonly approveP50: number;
  readonly approveP95: number;
  readonly cpuMsPerTurn: number;
};

/** How many turns of each tree, with how many conversations at once. */
export type TreeSizes = { readonly concurrent: number; readonly turns: number; readonly warmUpTurns: number };

type Answer = {
  readonly conversation: {
    readonly id: string;
    readonly run?: { readonly status: string };
    readonly pending_approvals?: readonly { readonly uuid: string }[];
  };
  /** Absent: somebody goes on with it. */
  readonly result?: { readonly waiting_approval: boolean; readonly response: string };
};

/** Runs turns of a tree, each on a conversation of its own. `cpu` gives seconds of CPU used so far. */
export async function measureTree(
  address: string,
  { name, approvals, response }: TreeShape,
  { concurrent, turns, warmUpTurns }: TreeSizes,
  cpu: () => number,
): Promise<TreeFigures> {
  const clients = await openClients(address, concurrent);
  // What approves beside each other needs connections of its own.
  const hands = await Promise.all(clients.map(() => openClients(address, approvals)));
  const messages: number[] = [];
  const approves: number[] = [];
  const tell = async (client: HttpClient, conversation: string): Promise<void> => {
    const sent = await client.post(`/conversations/${conversation}/messages`, { message: 'all there is' });
    const { result } = answerOf(sent);
    if (result === undefined) throw new Error(`${name}: no answer to the message: ${sent.body}`);
    messages.push(sent.ms);
    if (approvals === 0) return expectAnswer(name, result, response);
    if (!result.waiting_approval) throw new Error(`${name}: nothing waits: ${sent.body}`);
    approves.push(await approveAll(client, hands[clients.indexOf(client)] ?? [], conversation, { name, response }));
  };
  try {
    const run = async (count: number): Promise<void> => {
      await concurrently(clients, Array.from({ length: count }), async (client) =>
        tell(client, await createConversation(client)),
      );
    };
    await run(warmUpTurns);
    messages.length = 0;
    approves.length = 0;
    const [before, began] = [cpu(), performance.now()];
    await run(turns);
    const seconds = (performance.now() - began) / 1_000;
    const [message, approve] = [quantiles(messages), quantiles(approvals === 0 ? [0] : approves)];
    return {
      name,
      approvals,
      concurrent,
      turnsPerSecond: turns / seconds,
      messageP50: message.p50,
      messageP95: message.p95,
      approveP50: approve.p50,
      approveP95: approve.p95,
      cpuMsPerTurn: (1_000 * (cpu() - before)) / turns,
    };
  } finally {
    for (const client of [...clients, ...hands.flat()]) client.close();
  }
}

/** Approves everything that waits, all at once. Gives how long it took until the run had settled, in milliseconds. */
async function approveAll(
  client: HttpClient,
  hands: readonly HttpClient[],
  conversation: string,
  wanted: { readonly name: string; readonly response: string },
): Promise<number> {
  const look = async (): Promise<Answer['conversation']> =>
    answerOf(await client.get(`/conversations/${conversation}`)).conversation;
  const pending = (await look()).pending_approvals ?? [];
  if (pending.length !== hands.length)
    throw new Error(`${wanted.name}: ${pending.length} approvals wait, not ${hands.length}`);
  const began = performance.now();
  const answers = await Promise.all(
    hands.map(async (hand, index) =>
      answerOf(await hand.post(`/approvals/${pending[index]?.uuid}`, { approved: true })),
    ),
  );
  const last = answers.find(({ result }) => result?.response === wanted.response);
  if (last !== undefined) return performance.now() - began;
  // Whoever decided last may have been told that another process goes on with it.
  for (;;) {
    const { run } = await look();
    if (run?.status === 'completed') return performance.now() - began;
    if (run?.status !== 'working') throw new Error(`${wanted.name}: the run is ${run?.status}`);
  }
}

function answerOf({ status, body }: { readonly status: number; readonly body: string }): Answer {
  if (status !== 200 && status !== 202) throw new Error(`HTTP ${status} ${body}`);
  return JSON.parse(body) as Answer;
}

function expectAnswer(name: string, { response }: NonNullable<Answer['result']>, wanted: string): void {
  if (response !== wanted) throw new Error(`${name}: the answer is ${JSON.stringify(response)}`);
}
