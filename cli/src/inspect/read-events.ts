import { toJson } from '@bufbuild/protobuf';
import { conversationStream, DomainError, decodeRecorded, isUuid, type RecordedFact } from '@stopgo/core';
import { type envelope, facts, type store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';

/** An event with its stored form. */
export type StoredEvent = { readonly recorded: envelope.Recorded; readonly event: RecordedFact };

/** The stream that an argument names: a conversation's by its id, any other by its name. */
export function streamOf(argument: string): string {
  return isUuid(argument.toLowerCase()) ? conversationStream(argument.toLowerCase()) : argument;
}

/** All events of a stream in order. Rejects with `not_found` if there are none. */
export async function* readEvents(
  client: Client<typeof store.StoreService>,
  stream: string,
): AsyncGenerator<StoredEvent> {
  for (let next = 1; ; ) {
    const page = await client.readStream({ stream, fromRevision: next });
    if (page.headRevision === 0) throw new DomainError('not_found', `there is no stream ${stream} in this log`);
    for (const recorded of page.events) yield { recorded, event: decodeRecorded(recorded) };
    next += page.events.length;
    if (page.events.length === 0 || next > page.headRevision) return;
  }
}

/** The name of a fact as it stands in the contract, for example `RunStarted`. */
export function factName(event: RecordedFact): string {
  return event.fact.case.charAt(0).toUpperCase() + event.fact.case.slice(1);
}

/** What an event says, as JSON; what a provider wants back unchanged is given by its size only. */
export function factJson({ fact }: RecordedFact): unknown {
  const payload = toJson(facts.PayloadSchema, { $typeName: 'stopgo.events.v1.Payload', fact });
  const [value] = Object.values(payload as Record<string, Record<string, unknown>>);
  if (fact.case !== 'modelResponded' || value === undefined || fact.value.opaque.length === 0) return value;
  return { ...value, opaque: `[${fact.value.opaque.length} bytes]` };
}
