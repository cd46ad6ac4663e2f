import { HttpClient } from './http-client.ts';

/** How long both halves of a stop-and-go turn took, in milliseconds. */
export type Turn = { readonly stopMs: number; readonly goMs: number };

type TurnAnswer = {
  readonly conversation: { readonly id: string };
  readonly result: {
    readonly waiting_approval: boolean;
    readonly response: string;
    readonly approval?: { readonly uuid: string };
  };
};

/** A message that the model answers with a call that needs an approval. */
export const destructive = (note: string): string => erasing(note, 'erase');

/** The same, with the tool of this name. */
export const erasing = (note: string, tool: string): string =>
  `${tool} note-${note}: it is no longer needed, the numbers in it were copied to the new list last week`;

/** Creates a conversation without a message. */
export async function createConversation(client: HttpClient): Promise<string> {
  const { status, body } = await client.post('/conversations', {});
  if (status !== 201) throw new Error(`create: HTTP ${status} ${body}`);
  return (JSON.parse(body) as TurnAnswer).conversation.id;
}

/** One turn: the message up to the wait for approval, the approval up to the final answer. Fails if either is not right. */
export function stopAndGo(client: HttpClient, conversation: string, note: string): Promise<Turn> {
  return turnOf(client, conversation, destructive(note));
}

/** One turn with this message. */
export async function turnOf(client: HttpClient, conversation: string, message: string): Promise<Turn> {
  const stop = await client.post(`/conversations/${conversation}/messages`, { message });
  const waiting = (JSON.parse(stop.body) as TurnAnswer).result;
  const uuid = waiting?.approval?.uuid;
  if (stop.status !== 200 || uuid === undefined) throw new Error(`message: HTTP ${stop.status} ${stop.body}`);
  const go = await client.post(`/approvals/${uuid}`, { approved: true });
  const done = (JSON.parse(go.body) as TurnAnswer).result;
  if (go.status !== 200 || done.waiting_approval || done.response !== 'The note is erased.')
    throw new Error(`approval: HTTP ${go.status} ${go.body}`);
  return { stopMs: stop.ms, goMs: go.ms };
}

/** Works through a list with so many workers at once, each on a connection of its own. */
export async function concurrently<T>(
  clients: readonly HttpClient[],
  work: readonly T[],
  run: (client: HttpClient, item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  await Promise.all(
    clients.map(async (client) => {
      for (let index = next++; index < work.length; index = next++) await run(client, work[index] as T, index);
    }),
  );
}

/** Opens connections, of somebody if there is a token. */
export function openClients(address: string, count: number, token?: string): Promise<HttpClient[]> {
  return Promise.all(Array.from({ length: count }, () => HttpClient.open(address, token)));
}
