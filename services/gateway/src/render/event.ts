import { type JsonObject, type JsonValue, toJson } from '@bufbuild/protobuf';
import { actorFromWire, visibleJson } from '@stopgo/core';
import { envelope, facts, fromBinary, type store } from '@stopgo/proto';
import { rfc3339 } from './time.ts';

/** An event of a type that this program does not know: a newer one wrote it. */
const unknown = 'unknown';

/** A durable event in the form of an event stream: the revision is its id, so that a client resumes after it. */
export function eventText(bytes: Uint8Array): string {
  const event = fromBinary(envelope.EnvelopeSchema, bytes);
  const { type, payload } = payloadOf(event.payload);
  const data = {
    revision: event.revision,
    event_id: event.eventId,
    time: rfc3339(event.time) ?? null,
    actor: actorFromWire(event.actor),
    type,
    payload,
  };
  return `id: ${event.revision}\nevent: ${type}\ndata: ${visibleJson(JSON.stringify(data))}\n\n`;
}

/** A piece of a model's answer in the form of an event stream. It has no id: it cannot be resumed after. */
export function deltaText(delta: store.Delta): string {
  const data = {
    run_id: delta.runId,
    step_id: delta.stepId,
    turn: delta.turn,
    attempt: delta.attempt,
    offset: delta.offset,
    text: delta.text,
  };
  return `event: delta\ndata: ${visibleJson(JSON.stringify(data))}\n\n`;
}

function payloadOf(bytes: Uint8Array): { readonly type: string; readonly payload: JsonValue } {
  const payload = fromBinary(facts.PayloadSchema, bytes);
  // A provider's own form of an answer is of no use to a client and may be large.
  if (payload.fact.case === 'modelResponded') payload.fact.value.opaque = new Uint8Array();
  const shown = toJson(facts.PayloadSchema, payload, { useProtoFieldName: true }) as JsonObject;
  const type = Object.keys(shown)[0] ?? unknown;
  return { type, payload: shown[type] ?? null };
}
