import { equals } from '@bufbuild/protobuf';
import { store } from '@stopgo/proto';
import { connectGrpc, createGrpcClient, Secret } from '@stopgo/rpc';
import { type ReadLog, readLog, type StoreClient } from '../promises/read-log.ts';

/** Reads the log from every store; what one of them finds wrong, and what they do not agree upon, is a problem. */
export async function readReplicas(addresses: readonly string[], token: string): Promise<ReadLog> {
  const channels = addresses.map((address) => connectGrpc(address, { internalToken: new Secret(token) }));
  try {
    const clients = channels.map((channel) => createGrpcClient(store.StoreService, channel));
    const logs: ReadLog[] = [];
    for (const client of clients) logs.push(await readLog(client));
    const [first] = logs;
    if (first === undefined) throw new Error('there is no store');
    const problems = logs.flatMap((log, replica) => [
      ...log.problems.map((problem) => `store ${replica}: ${problem}`),
      ...differences(first, log).map((stream) => `store ${replica} has another ${stream} than store 0`),
    ]);
    const shown = await differentViews(clients, first);
    return { ...first, problems: [...problems, ...shown] };
  } finally {
    for (const channel of channels) channel.close();
  }
}

function differences(one: ReadLog, other: ReadLog): string[] {
  const streams = [...new Set([...one.hashes.keys(), ...other.hashes.keys()])];
  return streams.filter((stream) => one.hashes.get(stream)?.join() !== other.hashes.get(stream)?.join());
}

/** What people are shown of each conversation must be the same, whichever store is asked. */
async function differentViews(clients: readonly StoreClient[], { conversations }: ReadLog): Promise<string[]> {
  const problems: string[] = [];
  for (const { id: conversationId } of conversations) {
    const request = { conversationId, messageLimit: 1_000 };
    try {
      const [first, ...others] = await Promise.all(clients.map((client) => client.getConversation(request)));
      for (const other of others)
        if (first === undefined || !equals(store.GetConversationResponseSchema, first, other))
          problems.push(`two stores show conversation ${conversationId} differently`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      problems.push(`a store does not show conversation ${conversationId}: ${reason}`);
    }
  }
  return problems;
}
