import { equals } from '@bufbuild/protobuf';
import { store } from '@stopgo/proto';
import { connectGrpc, createGrpcClient, Secret } from '@stopgo/rpc';
import { type ReadLog, readLog, type StoreClient } from '../promises/read-log.ts';

/** Readings of all stores, at most, until nothing is appended while they are read. */
const readingsMax = 20;

/** Connects to the stores and does what {@link compareReplicas} promises. */
export async function readReplicas(addresses: readonly string[], token: string): Promise<ReadLog> {
  const channels = addresses.map((address) => connectGrpc(address, { internalToken: new Secret(token) }));
  try {
    return await compareReplicas(channels.map((channel) => createGrpcClient(store.StoreService, channel)));
  } finally {
    for (const channel of channels) channel.close();
  }
}

/**
 * Reads the log from every store; what one of them finds wrong, and what they do not agree upon, is a problem. The stores are read one
 * after the other, so an event that is appended meanwhile, such as the late outcome of a call whose run was canceled, would look
 * like a difference. So the first store is read once more at the end, and all are read again if it shows something new.
 */
export async function compareReplicas(clients: readonly StoreClient[]): Promise<ReadLog> {
  const [client] = clients;
  if (client === undefined) throw new Error('there is no store');
  for (let reading = 1; reading <= readingsMax; reading += 1) {
    const logs: ReadLog[] = [];
    for (const one of clients) logs.push(await readLog(one));
    const shown = await differentViews(clients, logs[0]?.conversations ?? []);
    const [first] = logs;
    if (first === undefined || differences(first, await readLog(client)).length > 0) continue;
    const problems = logs.flatMap((log, replica) => [
      ...log.problems.map((problem) => `store ${replica}: ${problem}`),
      ...differences(first, log).map((stream) => `store ${replica} has another ${stream} than store 0`),
    ]);
    return { ...first, problems: [...problems, ...shown] };
  }
  throw new Error(`the log does not come to rest: it grew during each of ${readingsMax} readings`);
}

function differences(one: ReadLog, other: ReadLog): string[] {
  const streams = [...new Set([...one.hashes.keys(), ...other.hashes.keys()])];
  return streams.filter((stream) => one.hashes.get(stream)?.join() !== other.hashes.get(stream)?.join());
}

/** What people are shown of each conversation must be the same, whichever store is asked. */
async function differentViews(
  clients: readonly StoreClient[],
  conversations: ReadLog['conversations'],
): Promise<string[]> {
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
