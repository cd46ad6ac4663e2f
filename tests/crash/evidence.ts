import type { RecordedFact } from '@stopgo/core';
import { decodeRecorded } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { type Client, createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { openReadOnly } from '@stopgo/store';
import type { Acknowledged } from './client.ts';
import type { ToolRun } from './journal.ts';
import type { ModelRequest } from './model-process.ts';
import type { Life, World } from './world.ts';

/** A conversation's stream, in its order. */
export type LoggedConversation = { readonly id: string; readonly events: readonly RecordedFact[] };

/** All that is left of a world after its end, each part written by somebody else. */
export type Evidence = {
  /** By the store. */
  readonly conversations: readonly LoggedConversation[];
  /** What the store found wrong with its chains and views. */
  readonly problems: readonly string[];
  /** By the tools. */
  readonly toolRuns: readonly ToolRun[];
  /** By the model. */
  readonly modelRequests: readonly ModelRequest[];
  /** By the client. */
  readonly acknowledged: readonly Acknowledged[];
  /** By the harness, in milliseconds since 1970. */
  readonly lives: readonly Life[];
  readonly deaths: readonly number[];
};

const prefix = 'conversation-';
const silent = createLogger({ level: 'error', format: 'text', destination: { write: () => undefined } });

/** Reads the evidence of a world whose platform has ended. */
export async function collect(world: World, acknowledged: readonly Acknowledged[]): Promise<Evidence> {
  const running = await openReadOnly({ dataDir: world.dataDir, log: silent });
  try {
    const client = createInProcessClient(store.StoreService, running.service);
    const conversations: LoggedConversation[] = [];
    const problems: string[] = [];
    for (const stream of await streamsOf(client)) {
      const verified = await client.verifyStream({ stream });
      problems.push(...verified.problems.map((problem) => `${stream}: ${problem}`));
      if (stream.startsWith(prefix))
        conversations.push({ id: stream.slice(prefix.length), events: await eventsOf(client, stream) });
    }
    return {
      conversations,
      problems,
      toolRuns: world.toolRuns(),
      modelRequests: world.modelRequests(),
      acknowledged,
      lives: world.lives,
      deaths: world.deaths(),
    };
  } finally {
    await running.stop();
  }
}

type StoreClient = Client<typeof store.StoreService>;

async function streamsOf(client: StoreClient): Promise<string[]> {
  const all: string[] = [];
  for (;;) {
    const { streams } = await client.listStreams({ after: all.at(-1) ?? '' });
    if (streams.length === 0) return all;
    all.push(...streams);
  }
}

async function eventsOf(client: StoreClient, stream: string): Promise<RecordedFact[]> {
  const all: RecordedFact[] = [];
  for (;;) {
    const { events, headRevision } = await client.readStream({ stream, fromRevision: all.length + 1 });
    all.push(...events.map(decodeRecorded));
    if (events.length === 0 || all.length >= headRevision) return all;
  }
}
