import { conversationStream } from '@stopgo/core';
import type { envelope } from '@stopgo/proto';
import type { OutgoingContext } from '@stopgo/rpc';
import type { GatewayClients } from './options.ts';

/** The events of a conversation from one revision to another, both included, in pages as the store gives them. Ends early where they do. */
export async function* recordedEvents(
  store: GatewayClients['store'],
  { id, from, to }: { readonly id: string; readonly from: number; readonly to: number },
  options: { readonly context: OutgoingContext; readonly signal?: AbortSignal },
): AsyncGenerator<readonly envelope.Recorded[], void> {
  const stream = conversationStream(id);
  for (let fromRevision = from; fromRevision <= to; ) {
    const { events } = await store.readStream({ stream, fromRevision, limit: to - fromRevision + 1 }, options);
    if (events.length === 0) return;
    yield events;
    fromRevision += events.length;
  }
}
