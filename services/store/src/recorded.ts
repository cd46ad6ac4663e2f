import { timestampMs } from '@bufbuild/protobuf/wkt';
import { actorFromWire, invalidArgument, type RecordedFact, type StreamName, schemaVersion } from '@stopgo/core';
import { create, envelope, facts, fromBinary, type store, toBinary } from '@stopgo/proto';

/** The bytes of an event as they are stored and hashed. */
export function encodeEnvelope(event: store.NewEvent, stream: StreamName, revision: number): Uint8Array {
  const outer = create(envelope.EnvelopeSchema);
  outer.eventId = event.eventId;
  outer.stream = stream;
  outer.revision = revision;
  if (event.time !== undefined) outer.time = event.time;
  if (event.actor !== undefined) outer.actor = event.actor;
  outer.causationId = event.causationId;
  outer.correlationId = event.correlationId;
  outer.schemaVersion = event.schemaVersion;
  outer.payloadKeyId = event.payloadKeyId;
  outer.payload = event.payload;
  return toBinary(envelope.EnvelopeSchema, outer);
}

/**
 * The fact of an event that is about to be stored: what the core's `decodeRecorded` gives for its envelope, without
 * decoding what was just encoded. Throws `invalid_argument` if no reader of this version could fold it.
 */
export function recordedFact(event: store.NewEvent, stream: StreamName, revision: number): RecordedFact {
  const where = `event ${revision} of ${stream}`;
  if (event.schemaVersion > schemaVersion)
    throw invalidArgument(`${where} has schema version ${event.schemaVersion}; this store knows ${schemaVersion}`);
  const { fact } = decodePayload(event.payload, where);
  if (fact.case === undefined) throw invalidArgument(`${where} holds no fact that this store knows`);
  return {
    stream,
    revision,
    eventId: event.eventId,
    time: event.time === undefined ? 0 : timestampMs(event.time),
    actor: actorFromWire(event.actor),
    causationId: event.causationId,
    correlationId: event.correlationId,
    fact,
  };
}

function decodePayload(payload: Uint8Array, where: string): facts.Payload {
  try {
    return fromBinary(facts.PayloadSchema, payload);
  } catch (cause) {
    throw invalidArgument(`${where}: its payload is not a stopgo.events.v1.Payload`, {}, { cause });
  }
}
