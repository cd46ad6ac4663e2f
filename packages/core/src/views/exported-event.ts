import { toJson } from '@bufbuild/protobuf';
import { timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type envelope, facts } from '@stopgo/proto';
import { type Actor, decodeRecorded, type RecordedFact } from '../events/facts.ts';

/** An event in a document that anybody can read and check. */
export type ExportedEvent = {
  readonly revision: number;
  readonly event_id: string;
  /** RFC 3339, in UTC. */
  readonly at: string;
  readonly actor: Actor;
  readonly type: string;
  /** What it says; what a provider wants back unchanged is given by its size only. */
  readonly value: unknown;
  /** The bytes that the hash is made of, whole. */
  readonly envelope_base64: string;
  /** SHA-256 of the hash before and these bytes, in hexadecimal. */
  readonly hash: string;
};

/** An event of a conversation as `stopgo export` and the API give it, with what its hash chain needs to be checked. */
export function exportedEvent(recorded: envelope.Recorded): ExportedEvent {
  const event = decodeRecorded(recorded);
  return {
    revision: event.revision,
    event_id: event.eventId,
    at: timestampDate(timestampFromMs(event.time)).toISOString(),
    actor: event.actor,
    type: factName(event),
    value: factJson(event),
    envelope_base64: Buffer.from(recorded.envelope).toString('base64'),
    hash: Buffer.from(recorded.hash).toString('hex'),
  };
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
