import { parseStreamName, type StreamName } from '@stopgo/core';
import { batch, create, envelope, fromBinary, toBinary } from '@stopgo/proto';
import type { LoggedEvent } from '../../event-log.ts';

/**
 * Positions that belong to one message of the stream, and so the most events of one append. It is in every position that
 * was ever given: never change it.
 */
const positionsPerMessage = 256;

/** All subjects of the log. */
export const allSubjects = 'stopgo.events.>';
const subjectPrefix = 'stopgo.events.';

/** One append as it stands in the log. */
export type LoggedAppend = {
  /** Of its message. */
  readonly sequence: number;
  readonly stream: StreamName;
  readonly firstRevision: number;
  readonly lastRevision: number;
  readonly key: string;
  readonly requestDigest: string;
  /** At least one. */
  readonly events: readonly LoggedEvent[];
  /** Hash of the last of them. */
  readonly hash: Uint8Array;
  /** Size of its message. */
  readonly bytes: number;
};

/** Place of an event in the whole log: the sequence of its message, then its index in there. */
export const positionOf = (sequence: number, index: number): number => sequence * positionsPerMessage + index;

/** Sequence of the message that holds the event of a position. */
export const sequenceOf = (position: number): number => Math.floor(position / positionsPerMessage);

/** The subject of a stream. A dot separates parts of a subject, but not those of a stream's name. */
export const subjectOf = (stream: StreamName): string => `${subjectPrefix}${stream.replaceAll('.', '%2E')}`;

/** The name of the stream whose subject it is, whether there can be such a stream or not. */
export const streamOf = (subject: string): string => subject.slice(subjectPrefix.length).replaceAll('%2E', '.');

export type AppendParts = Pick<LoggedAppend, 'stream' | 'firstRevision' | 'key' | 'requestDigest'> & {
  readonly events: readonly { readonly envelope: Uint8Array; readonly hash: Uint8Array }[];
};

/** The message of an append. */
export function encodeAppend({ stream, firstRevision, key, requestDigest, events }: AppendParts): Uint8Array {
  const message = create(batch.BatchSchema);
  message.stream = stream;
  message.firstRevision = firstRevision;
  message.idempotencyKey = key;
  message.requestDigest = requestDigest;
  message.events = events.map((event) => {
    const stored = create(batch.StoredSchema);
    stored.envelope = event.envelope;
    stored.hash = event.hash;
    return stored;
  });
  return toBinary(batch.BatchSchema, message);
}

/** An append with the places that its message gave to its events. */
export function loggedAppend(parts: AppendParts, sequence: number, bytes: number): LoggedAppend {
  const { stream, firstRevision, key, requestDigest } = parts;
  const events = parts.events.map((stored, index): LoggedEvent => {
    const event = create(envelope.RecordedSchema);
    event.envelope = stored.envelope;
    event.hash = stored.hash;
    event.position = BigInt(positionOf(sequence, index));
    return { stream, revision: firstRevision + index, event };
  });
  const last = events.at(-1);
  if (last === undefined) throw new Error('it holds no event');
  const hash = last.event.hash;
  return { sequence, stream, firstRevision, lastRevision: last.revision, key, requestDigest, events, hash, bytes };
}

/** The append that a message holds. Throws an error that says why it is none. */
export function decodeAppend(subject: string, sequence: number, data: Uint8Array): LoggedAppend {
  const { stream: name, firstRevision, events, idempotencyKey: key, requestDigest } = decoded(data);
  const stream = parseStreamName(name);
  if (subjectOf(stream) !== subject) throw new Error(`it says to be of ${name}`);
  if (events.length > positionsPerMessage) throw new Error(`it holds ${events.length} events`);
  if (firstRevision < 1) throw new Error('it has no revision');
  return loggedAppend({ stream, firstRevision, key, requestDigest, events }, sequence, data.byteLength);
}

function decoded(data: Uint8Array): batch.Batch {
  try {
    return fromBinary(batch.BatchSchema, data);
  } catch (cause) {
    throw new Error('its bytes are no append', { cause });
  }
}
