import { type AgentDefinition, decodeRecorded, type RecordedFact } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { agentIn } from './tree-rules.ts';

export type StoreClient = Client<typeof store.StoreService>;

/** A conversation's stream, in its order. */
export type LoggedConversation = { readonly id: string; readonly events: readonly RecordedFact[] };

/** All of a log as one store shows it. */
export type ReadLog = {
  readonly conversations: readonly LoggedConversation[];
  /** The agents that runs were started with, by digest. */
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** What the store found wrong with its chains and views. */
  readonly problems: readonly string[];
  /** Of each stream the hash of each event, in hex: two stores with the same log give the same. */
  readonly hashes: ReadonlyMap<string, readonly string[]>;
};

const prefix = 'conversation-';
const agentPrefix = 'agent-';
/** How long the check of one stream may take, in milliseconds. */
const verifyMs = 60_000;

/** Reads everything, and has the store verify every stream. */
export async function readLog(client: StoreClient): Promise<ReadLog> {
  const conversations: LoggedConversation[] = [];
  const problems: string[] = [];
  const hashes = new Map<string, readonly string[]>();
  const agents = new Map<string, AgentDefinition>();
  for (const stream of await streamsOf(client)) {
    try {
      const verified = await client.verifyStream({ stream }, { timeoutMs: verifyMs });
      problems.push(...verified.problems.map((problem) => `${stream}: ${problem}`));
      const { events, hashes: chain } = await eventsOf(client, stream);
      hashes.set(stream, chain);
      const agent = stream.startsWith(agentPrefix) ? agentIn(events) : undefined;
      if (agent !== undefined) agents.set(stream.slice(agentPrefix.length), agent);
      if (stream.startsWith(prefix)) conversations.push({ id: stream.slice(prefix.length), events });
    } catch (error) {
      problems.push(`${stream} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { conversations, agents, problems, hashes };
}

async function streamsOf(client: StoreClient): Promise<string[]> {
  const all: string[] = [];
  for (;;) {
    const { streams } = await client.listStreams({ after: all.at(-1) ?? '' });
    if (streams.length === 0) return all;
    all.push(...streams);
  }
}

/** Every event of a stream, and the hash of each in hex. */
export async function eventsOf(
  client: StoreClient,
  stream: string,
): Promise<{ events: RecordedFact[]; hashes: string[] }> {
  const all: RecordedFact[] = [];
  const hashes: string[] = [];
  for (;;) {
    const { events, headRevision } = await client.readStream({ stream, fromRevision: all.length + 1 });
    all.push(...events.map(decodeRecorded));
    hashes.push(...events.map(({ hash }) => Buffer.from(hash).toString('hex')));
    if (events.length === 0 || all.length >= headRevision) return { events: all, hashes };
  }
}
