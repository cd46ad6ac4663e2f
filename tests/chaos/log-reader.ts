import type { FactName, FactOf, RecordedFact } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { connectGrpc, createGrpcClient, type GrpcChannel, Secret } from '@stopgo/rpc';
import { pause } from '../promises/patient-client.ts';
import { eventsOf, type StoreClient } from '../promises/read-log.ts';

/** A fact of a certain kind, and when it was recorded, in milliseconds since 1970. */
export type Found<N extends FactName> = { readonly time: number; readonly value: FactOf<N> };

/** How long something is waited for, in milliseconds. */
const waitMs = 60_000;
/** Pause between two looks into the log, in milliseconds. */
const lookMs = 10;

/** Looks into the log of a running platform. */
export class LogReader {
  private readonly channel: GrpcChannel;
  private readonly client: StoreClient;

  constructor(address: string, token: string) {
    this.channel = connectGrpc(address, { internalToken: new Secret(token) });
    this.client = createGrpcClient(store.StoreService, this.channel);
  }

  async events(conversationId: string): Promise<readonly RecordedFact[]> {
    return (await eventsOf(this.client, `conversation-${conversationId}`)).events;
  }

  /** Facts of a kind in a conversation, in their order. */
  async all<N extends FactName>(conversationId: string, name: N): Promise<Found<N>[]> {
    return (await this.events(conversationId)).flatMap((event) =>
      valuesOf(event, name).map((value) => ({ time: event.time, value })),
    );
  }

  /** Waits for a fact. */
  async wait<N extends FactName>(
    conversationId: string,
    name: N,
    fits: (value: FactOf<N>) => boolean = () => true,
  ): Promise<Found<N>> {
    const deadline = Date.now() + waitMs;
    for (;;) {
      const found = (await this.all(conversationId, name)).find(({ value }) => fits(value));
      if (found !== undefined) return found;
      if (Date.now() > deadline) throw new Error(`no ${name} in ${conversationId} within ${waitMs} ms`);
      await pause(lookMs);
    }
  }

  /** How often an instance has renewed its heartbeat. */
  async beatsOf(instance: string): Promise<number> {
    const { instances } = await this.client.heartbeat({});
    return Number(instances.find((one) => one.instance === instance)?.counter ?? 0n);
  }

  close(): void {
    this.channel.close();
  }
}

/** The value of a fact of this kind; nothing of another. */
function valuesOf<N extends FactName>({ fact }: RecordedFact, name: N): FactOf<N>[] {
  // The compiler does not see that the name chooses the type of the value.
  return fact.case === name ? [fact.value as FactOf<N>] : [];
}
