import type { Clock } from '@stopgo/log';
import { untilAnswered } from '@stopgo/log';
import type { mcp, store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { abortsWithin } from '@stopgo/runtime';
import { TicketBatch } from './ticket-batch.ts';

/** What is on the record of the calls that this bridge is asked to make. */
export type Tickets = {
  /**
   * How old a look may be by the time that its call is sent, in milliseconds. 0: it is looked right before, as that costs no round trip.
   */
  readonly freshMs: number;
  /**
   * What the stream of the conversation holds of a call; undefined if that is nothing that could run. It knows what was
   * acknowledged before. A log that is away for a moment is waited for; then it rejects, as when the signal aborts.
   */
  ticket(
    key: Pick<mcp.CallKey, 'conversationId' | 'runId' | 'callId'>,
    signal: AbortSignal,
  ): Promise<store.Ticket | undefined>;
};

/** What looking up needs. */
export type TicketPorts = {
  readonly store: Pick<Client<typeof store.StoreService>, 'readTicket' | 'readTickets'>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether the store is another process. */
  readonly isFar: boolean;
  readonly bounds: { readonly recordAskMs: number; readonly recordWaitMs: number; readonly recordFreshMs: number };
};

/** Tickets as the store shows them. */
export function storeTickets({ store, clock, random, isFar, bounds }: TicketPorts): Tickets {
  const { recordAskMs: timeoutMs, recordWaitMs } = bounds;
  const batch = new TicketBatch({ store, clock, timeoutMs });
  return {
    freshMs: isFar ? bounds.recordFreshMs : 0,
    ticket: async ({ conversationId, runId, callId }, signal) => {
      const end = abortsWithin(recordWaitMs, signal);
      const call = { conversationId, runId, callId };
      const ask = () => (isFar ? batch.read(call, end) : store.readTicket(call, { signal: end, timeoutMs }));
      return (await untilAnswered(ask, clock, random, end)).ticket;
    },
  };
}
