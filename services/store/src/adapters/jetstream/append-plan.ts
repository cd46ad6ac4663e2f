import { chainHash, chainStart, invalidArgument, type RecordedFact } from '@stopgo/core';
import type { StreamAppend } from '../../event-log.ts';
import { encodeEnvelope, recordedFact } from '../../recorded.ts';
import type { Projection } from '../../views.ts';
import { isFolded, type KnownFacts } from '../sqlite-views/rebuild.ts';
import { type AppendParts, encodeAppend } from './batch-message.ts';
import type { IndexedHead } from './index-tables.ts';

/** The one message that an append can become. */
export type PlannedAppend = {
  readonly parts: AppendParts;
  readonly known: KnownFacts;
  readonly data: Uint8Array;
  /** Hash of its last event. */
  readonly hash: Uint8Array;
};

/**
 * Makes the message of an append that goes on from a head which the views show. Throws `invalid_argument` for events that the
 * views cannot fold, and for more bytes than a message may have.
 */
export function planAppend(
  { stream, events, idempotencyKey, requestDigest }: StreamAppend,
  head: IndexedHead | undefined,
  projection: Projection,
  { key, bytesMax }: { readonly key: number; readonly bytesMax: number },
): PlannedAppend {
  const folds = isFolded(stream);
  const firstRevision = (head?.revision ?? 0) + 1;
  const facts: RecordedFact[] = [];
  let hash = head?.hash ?? chainStart;
  const stored = events.map((event, index) => {
    const revision = firstRevision + index;
    const envelope = encodeEnvelope(event, stream, revision);
    hash = chainHash(hash, envelope);
    if (folds) facts.push(recordedFact(event, stream, revision));
    return { envelope, hash };
  });
  const known = { facts, folded: folds ? projection.begin().add(stream, facts, key) : undefined };
  const parts = { stream, firstRevision, key: idempotencyKey, requestDigest, events: stored };
  const data = encodeAppend(parts);
  if (data.byteLength > bytesMax)
    throw invalidArgument(
      `${stream}: the append takes ${data.byteLength} bytes, more than the event log takes at once (${bytesMax}); split it`,
    );
  return { parts, known, data, hash };
}
