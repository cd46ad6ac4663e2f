import { conversationStream, DomainError, type StreamName, unavailable } from '@stopgo/core';
import { pageEventsMax } from '../../bounds.ts';
import type { StreamEvent } from '../../event-log.ts';
import { type Refold, type RefoldParts, refolding } from '../sqlite-views/refold.ts';
import type { StreamIndex } from './index-tables.ts';
import type { Messages } from './messages.ts';

type RepairParts = Omit<RefoldParts, 'read'> & { readonly index: StreamIndex; readonly messages: Messages };

/**
 * Makes a conversation anew whose row is damaged. Its events have to be fetched first: until they are here, whoever needs the
 * row is told `unavailable`.
 */
export function repairing(parts: RepairParts): Refold {
  const fetching = new Map<string, Promise<void>>();
  const fetched = new Map<string, readonly StreamEvent[] | DomainError>();

  const fetch = async (id: string, revision: number) => {
    try {
      fetched.set(id, await eventsOf(parts, conversationStream(id), revision));
    } catch (error) {
      // Of an outage nothing is kept: the next who needs the row has it fetched again.
      if (error instanceof DomainError && error.kind === 'data_loss') fetched.set(id, error);
    } finally {
      fetching.delete(id);
    }
  };

  return (row) => {
    const events = fetched.get(row.id);
    fetched.delete(row.id);
    if (events instanceof DomainError) throw events;
    if (events !== undefined && events.length >= row.revision)
      return refolding({
        ...parts,
        read: (_, from, limit) => events.slice(from - 1, from - 1 + limit),
      })(row);
    if (!fetching.has(row.id)) fetching.set(row.id, fetch(row.id, row.revision));
    throw unavailable(
      `the row of conversation ${row.id} is damaged and is being made anew; try again`,
      {},
      { retryAfterMs: 1_000 },
    );
  };
}

async function eventsOf({ index, messages }: RepairParts, stream: StreamName, upTo: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  while (events.length < upTo) {
    const places = index.places(stream, events.length + 1, pageEventsMax);
    if (places.length === 0) break;
    for (const append of await messages.get(places.map((place) => place.sequence))) events.push(...append.events);
  }
  return events;
}
