import { randomUUID } from 'node:crypto';
import { conversationStream } from '@stopgo/core';
import { Heartbeat, storeBeat, storeLog, systemClock } from '@stopgo/log';
import { store } from '@stopgo/proto';
import { connectGrpc, createGrpcClient, peerToken, Secret } from '@stopgo/rpc';
import type { HttpClient } from '../http-client.ts';
import { scattered } from '../timed-reads.ts';
import { destructive } from '../turn.ts';
import { outlineOf, readAll, readExample, type StoredConversation, storeLike } from './loader.ts';
import type { ServicesPlatform } from './platform.ts';

/** How many conversations are stored, and how many of them wait for an approval. */
export type SeedSizes = { readonly stored: number; readonly waiting: number };

export type Seeded = {
  readonly ids: readonly string[];
  readonly approvals: readonly string[];
  readonly seconds: number;
  /** Streams whose chain and views were looked at, and the events in them. */
  readonly verified: { readonly streams: number; readonly events: number };
};

/** Conversations that are stored at the same time. */
const atOnce = 64;
const verifiedStreams = 100;
/** Time to live of a heartbeat, in milliseconds, as the platform has it. */
const ttlMs = 5_000;
const tellEveryMs = 10_000;

/**
 * Stores conversations evenly mixed through the store's gRPC surface. Fails unless a sample of them verifies, has the same
 * outline as conversations made through the API, and the views count all of them.
 */
export async function seed(
  platform: ServicesPlatform,
  client: HttpClient,
  { stored, waiting }: SeedSizes,
  tell: (done: number, perSecond: number) => void,
): Promise<Seeded> {
  // Only a driver may append what a driver has to say.
  const internalToken = peerToken(new Secret(platform.internalToken), 'orchestrator');
  const channel = connectGrpc(platform.storeAddress, { internalToken });
  const calls = createGrpcClient(store.StoreService, channel);
  const log = storeLog(calls);
  const instance = `bench-${randomUUID()}`;
  const heartbeat = new Heartbeat({
    ...{ beat: storeBeat(calls, ttlMs), clock: systemClock, ttlMs, instance, role: 'orchestrator' },
  });
  // Once one has failed, the others need not be stored.
  const failed = new AbortController();
  const driver = { log, instance, signal: failed.signal };
  try {
    await new Promise<void>((resolve) => void heartbeat.run(resolve));
    const examples = { waiting: await create(client, destructive('0')), done: await create(client, aboutHerons(0)) };
    const models = {
      waiting: await readExample(log, examples.waiting.id),
      done: await readExample(log, examples.done.id),
    };
    const all: StoredConversation[] = [examples.waiting, examples.done];
    const began = performance.now();
    // The examples are two of them, and one of those waits.
    const [more, moreWaiting] = [stored - 2, waiting - 1];
    const waitingUpTo = (index: number): number => Math.floor((index * moreWaiting) / more);
    let [told, next] = [began, 1];
    const work = async (): Promise<void> => {
      for (let index = next++; index <= more; index = next++) {
        const isWaiting = waitingUpTo(index) > waitingUpTo(index - 1);
        const message = isWaiting ? destructive(String(index)) : aboutHerons(index);
        const like = isWaiting ? models.waiting : models.done;
        all.push(await storeLike(like, { message, note: `note-${index}:` }, driver));
        if (performance.now() - told < tellEveryMs) continue;
        told = performance.now();
        tell(all.length, (1_000 * all.length) / (told - began));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    const seconds = (performance.now() - began) / 1_000;

    const streams = Array.from({ length: Math.min(verifiedStreams, all.length) }, (_, index) => scattered(all, index));
    let events = 0;
    for (const { id, approval } of streams) {
      const stream = conversationStream(id);
      const verified = await calls.verifyStream({ stream });
      if (verified.problems.length > 0) throw new Error(`${stream}: ${verified.problems.join('; ')}`);
      events += verified.events;
      const like = approval === undefined ? models.done : models.waiting;
      const [mine, theirs] = [outlineOf(await readAll(log, stream)), outlineOf(like.events)].map((one) =>
        one.join('\n'),
      );
      if (mine !== theirs) throw new Error(`${stream} is not like one of the API:\n${mine}\n\n${theirs}`);
    }
    const { summary } = await calls.listConversations({ limit: 1 });
    const approvals = all.flatMap(({ approval }) => approval ?? []);
    if (summary?.total !== all.length || summary.waitingApproval !== approvals.length)
      throw new Error(
        `${all.length} were stored and ${approvals.length} of them wait; the views say ${summary?.total} and ${summary?.waitingApproval}`,
      );
    return { ids: all.map(({ id }) => id), approvals, seconds, verified: { streams: streams.length, events } };
  } finally {
    failed.abort();
    heartbeat.stop();
    channel.close();
  }
}

const aboutHerons = (index: number): string => `note number ${index} is about herons and their nests`;

type Created = {
  readonly conversation: { readonly id: string };
  readonly result: { readonly approval?: { readonly uuid: string } };
};

async function create(client: HttpClient, message: string): Promise<StoredConversation> {
  const { status, body } = await client.post('/conversations', { message });
  if (status !== 201) throw new Error(`create: HTTP ${status} ${body}`);
  const { conversation, result } = JSON.parse(body) as Created;
  return { id: conversation.id, ...(result.approval === undefined ? {} : { approval: result.approval.uuid }) };
}
