import {
  apiKeyOfStream,
  appendBytesMax,
  appendEventsMax,
  conversationOfPush,
  conversationOfStream,
  invalidArgument,
  isUuid,
  parseStreamName,
  userOfStream,
} from '@stopgo/core';
import type { store } from '@stopgo/proto';
import { digestCharactersMax, envelopeTextCharactersMax, keyCharactersMax } from './bounds.ts';
import type { StreamAppend } from './event-log.ts';

/** The append that a request asks for. Throws `invalid_argument` that names what is wrong with it. */
export function checkAppend(request: store.AppendRequest): StreamAppend {
  const stream = parseStreamName(request.stream);
  const conversationId = conversationOfStream(stream) ?? conversationOfPush(stream);
  if (conversationId !== undefined && !isUuid(conversationId))
    throw invalidArgument(`${stream}: a conversation's id is a UUID in lower case`);
  const personId = userOfStream(stream) ?? apiKeyOfStream(stream);
  if (personId !== undefined && !isUuid(personId))
    throw invalidArgument(`${stream}: the id of a user or an API key is a UUID in lower case`);
  const { expectedRevision, events, idempotencyKey, requestDigest } = request;
  if (events.length < 1 || events.length > appendEventsMax)
    throw invalidArgument(`${stream}: an append has 1 to ${appendEventsMax} events, not ${events.length}`);
  const bytes = events.reduce((sum, event) => sum + event.payload.byteLength, 0);
  if (bytes > appendBytesMax)
    throw invalidArgument(`${stream}: the payloads take ${bytes} bytes, more than ${appendBytesMax}; split the append`);
  if (idempotencyKey.length < 1 || idempotencyKey.length > keyCharactersMax)
    throw invalidArgument(`${stream}: an idempotency key has 1 to ${keyCharactersMax} characters`);
  if (requestDigest.length > digestCharactersMax)
    throw invalidArgument(`${stream}: a request digest has at most ${digestCharactersMax} characters`);
  for (const [index, event] of events.entries()) checkEvent(event, `${stream}: event ${index + 1} of the append`);
  return { stream, expectedRevision, events, idempotencyKey, requestDigest };
}

function checkEvent(event: store.NewEvent, where: string): void {
  if (!isUuid(event.eventId)) throw invalidArgument(`${where} has no UUID in lower case as its id`);
  if (event.time === undefined) throw invalidArgument(`${where} has no time`);
  const texts = {
    causation_id: event.causationId,
    correlation_id: event.correlationId,
    payload_key_id: event.payloadKeyId,
    'actor.id': event.actor?.id ?? '',
    'actor.surface': event.actor?.surface ?? '',
    'actor.address': event.actor?.address ?? '',
    'actor.principal': event.actor?.principal ?? '',
  };
  for (const [name, value] of Object.entries(texts))
    if (value.length > envelopeTextCharactersMax)
      throw invalidArgument(`${where}: ${name} has more than ${envelopeTextCharactersMax} characters`);
}
