import { create, toBinary } from '@bufbuild/protobuf';
import { sha256Hex } from '@stopgo/core';
import { envelope, facts, store } from '@stopgo/proto';
import { type Client, createInProcessClient, type ServiceImpl } from '@stopgo/rpc';

type Served = Pick<
  ServiceImpl<typeof store.StoreService>,
  'append' | 'readStream' | 'follow' | 'readTicket' | 'readTickets' | 'putBlob'
>;
type Key = Pick<store.ReadTicketRequest, 'conversationId' | 'runId' | 'callId'>;
type Given = {
  readonly digest: string;
  readonly attempt: number;
  readonly instance: string;
  readonly approvalId: string;
};

const nameOf = ({ conversationId, runId, callId }: Key): string => JSON.stringify([conversationId, runId, callId]);

/** What bridges do not ask for is not served. */
function servedOr(served: object, name: string | symbol): unknown {
  return Reflect.get(served, name) ?? (() => Promise.reject(new Error(`nobody serves ${String(name)}`)));
}

/** A log in memory, and what conversations hold of calls, for bridges whose store is of no interest. */
export class MemoryStore {
  readonly #streams = new Map<string, envelope.Recorded[]>();
  readonly #tickets = new Map<string, store.Ticket>();
  readonly #begun = new Set<string>();
  readonly #waiting = new Set<() => void>();
  /** The next asks of that kind fail, as those of a store that is away. */
  away: Error | undefined;
  /** Tickets that were asked for, by the id of their call. */
  readonly asked: string[] = [];
  /** The same, by requests for several. */
  readonly askedTogether: string[][] = [];

  /** Bytes that were put beside the log, in order. */
  readonly blobs: Uint8Array[] = [];
  /** False: who puts one is not answered. */
  blobsTaken = true;

  /** Looks for the tickets of these calls wait. */
  readonly holds = new Map<string, Promise<void>>();

  /** What a bridge is given. */
  readonly client: Client<typeof store.StoreService> = createInProcessClient<typeof store.StoreService>(
    store.StoreService,
    new Proxy<ServiceImpl<typeof store.StoreService>>(this.#served() as ServiceImpl<typeof store.StoreService>, {
      get: servedOr,
    }),
  );

  /** The stream holds the start of this attempt and, if it names one, the approval that lets it run. */
  started(key: Key, { digest, attempt, instance, approvalId }: Given): store.Ticket {
    const ticket = create(store.TicketSchema, {
      ...{ digest, attempt, bridgeInstance: instance, state: store.TicketState.STARTED },
      ...(approvalId === ''
        ? {}
        : { approval: { id: approvalId, digest, decision: facts.Decision.APPROVED, byPolicy: false, void: false } }),
    });
    this.#tickets.set(nameOf(key), ticket);
    return ticket;
  }

  /** As {@link started}, unless a test has put there already what the stream shall hold of the call. */
  begin(key: Key, given: Given): void {
    const name = nameOf(key);
    if (this.#tickets.has(name) && !this.#begun.has(name)) return;
    this.started(key, given);
    this.#begun.add(name);
  }

  /** What was appended to a stream, by all bridges. */
  events(stream: string): readonly envelope.Recorded[] {
    return this.#streams.get(stream) ?? [];
  }

  streams(): readonly string[] {
    return [...this.#streams.keys()];
  }

  #served(): Served {
    const here = (): void => {
      if (this.away !== undefined) throw this.away;
    };
    const look = async (request: store.ReadTicketRequest) => {
      this.asked.push(request.callId);
      await this.holds.get(request.callId);
      const ticket = this.#tickets.get(nameOf(request));
      return ticket === undefined ? {} : { ticket };
    };
    return {
      readTicket: async (request) => {
        here();
        return look(request);
      },
      readTickets: async ({ calls }) => {
        here();
        this.askedTogether.push(calls.map(({ callId }) => callId));
        return { answers: await Promise.all(calls.map(look)) };
      },
      append: async ({ stream, expectedRevision, events }) => {
        here();
        const there = this.#streams.get(stream) ?? [];
        if (there.length !== expectedRevision) {
          const value = { currentRevision: there.length, unseen: there.slice(expectedRevision) };
          return { outcome: { case: 'conflict' as const, value } };
        }
        for (const { $typeName: _, ...event } of events) {
          const bytes = create(envelope.EnvelopeSchema, { ...event, stream, revision: there.length + 1 });
          there.push(
            create(envelope.RecordedSchema, {
              envelope: toBinary(envelope.EnvelopeSchema, bytes),
              hash: new Uint8Array(),
            }),
          );
        }
        this.#streams.set(stream, there);
        for (const wake of [...this.#waiting]) wake();
        return { outcome: { case: 'appended' as const, value: { revision: there.length } } };
      },
      readStream: async ({ stream, fromRevision }) => {
        here();
        const there = this.#streams.get(stream) ?? [];
        return { events: there.slice(Math.max(0, fromRevision - 1)), headRevision: there.length };
      },
      putBlob: async ({ bytes }) => {
        here();
        this.blobs.push(bytes);
        if (!this.blobsTaken) await new Promise(() => undefined);
        return { digest: sha256Hex(bytes) };
      },
      follow: ({ stream, fromRevision }, { signal }) => this.#follow(stream, fromRevision, signal),
    };
  }

  async *#follow(stream: string, from: number, signal: AbortSignal) {
    for (let next = Math.max(1, from); !signal.aborted; ) {
      const event = this.#streams.get(stream)?.[next - 1];
      if (event !== undefined) {
        next += 1;
        yield { event };
        continue;
      }
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    }
  }
}
