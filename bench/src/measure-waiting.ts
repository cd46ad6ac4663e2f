import { setTimeout as delay } from 'node:timers/promises';
import type { HttpClient } from './http-client.ts';
import type { Platform } from './platform.ts';
import { cpuSeconds, memoryMb } from './process-usage.ts';
import type { Sizes } from './sizes.ts';
import { storeWaiting } from './store-waiting.ts';
import { timedReads } from './timed-reads.ts';
import { destructive, openClients } from './turn.ts';

/** One process, just started, on a log in which so many conversations wait for an approval, while nobody asks anything. */
export type WaitingFigures = {
  readonly waiting: number;
  /** Milliseconds from its start until it was ready. */
  readonly readyMs: number;
  /** Seconds of CPU of its start. */
  readonly startCpuSeconds: number;
  /** Seconds of CPU that it takes in a minute afterwards. */
  readonly cpuSecondsPerMinute: number;
  /** Memory then, in MB (10^6 bytes). */
  readonly rssMb: number;
  /** The list of what waits, its first hundred, p50 in milliseconds. */
  readonly listMs: number;
  /** From an approval to the answer, of a conversation of which the process had nothing in memory, in milliseconds. */
  readonly resumeMs: number;
};

/** Time for the work of a start to be done, in milliseconds. */
const settleMs = 5_000;
const lists = 20;

type Answer = {
  readonly conversation: { readonly id: string };
  readonly result: { readonly response: string; readonly approval?: { readonly uuid: string } };
};

/** Measures the process with one conversation that waits, and with as many as the sizes say. Stops the platform. */
export async function measureWaiting(
  platform: Platform,
  { waiting, waitingIdleSeconds }: Sizes,
): Promise<readonly WaitingFigures[]> {
  const [client] = await openClients(platform.address, 1);
  const example = await post(client, '/conversations', { message: destructive('0') });
  client?.close();
  await platform.stop();
  const once = async (count: number, approval: string): Promise<WaitingFigures> => {
    const started = await platform.again();
    try {
      return { waiting: count, ...(await measure(started, waitingIdleSeconds, approval)) };
    } finally {
      await started.stop();
    }
  };
  const few = await storeWaiting(platform.dataDir, example.conversation.id, 1);
  const ofFew = await once(2, few);
  const many = await storeWaiting(platform.dataDir, example.conversation.id, waiting - 1);
  return [ofFew, await once(waiting, many)];
}

async function measure(
  platform: Platform,
  idleSeconds: number,
  approval: string,
): Promise<Omit<WaitingFigures, 'waiting'>> {
  const { pid, readyMs, address } = platform;
  await delay(settleMs);
  const startCpuSeconds = cpuSeconds(pid);
  await delay(idleSeconds * 1_000);
  const cpuSecondsPerMinute = ((cpuSeconds(pid) - startCpuSeconds) * 60) / idleSeconds;
  const rssMb = memoryMb(pid).now;
  const [client] = await openClients(address, 1);
  try {
    const { result, ms } = await post(client, `/approvals/${approval}`, { approved: true });
    if (result.response !== 'The note is erased.') throw new Error(`approval: ${JSON.stringify(result)}`);
    const list = '/conversations?limit=100&status=waiting_approval';
    const { p50 } = await timedReads(client as HttpClient, lists, () => list);
    return { readyMs, startCpuSeconds, cpuSecondsPerMinute, rssMb, listMs: p50, resumeMs: ms };
  } finally {
    client?.close();
  }
}

async function post(client: HttpClient | undefined, path: string, body: object): Promise<Answer & { ms: number }> {
  const answer = await client?.post(path, body);
  if (answer === undefined || ![200, 201].includes(answer.status)) throw new Error(`${path}: ${answer?.body}`);
  return { ...(JSON.parse(answer.body) as Answer), ms: answer.ms };
}
