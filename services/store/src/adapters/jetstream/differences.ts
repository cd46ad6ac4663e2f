import { canceled, type StreamName } from '@stopgo/core';
import { pageEventsMax } from '../../bounds.ts';
import { equal } from '../../problems.ts';
import { decodeAppend, type LoggedAppend } from './batch-message.ts';
import type { StreamIndex } from './index-tables.ts';
import type { Leader, Message } from './leader.ts';
import type { Pipeline } from './pipeline.ts';

export type DifferencesParts = {
  readonly index: Pick<StreamIndex, 'key' | 'places'>;
  readonly pipeline: Pick<Pipeline, 'applied'>;
  readonly leader: Pick<Leader, 'nextOf'>;
};

/**
 * Compares what the index says of a stream with the messages of its subject, up to where the index shows the log: all else
 * is read by way of the index, and would never miss what that has lost.
 */
export async function* differencesOf(
  { index, pipeline, leader }: DifferencesParts,
  stream: StreamName,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const end = pipeline.applied;
  const kept = new Set<number>();
  for (let next = 1; next <= end; ) {
    if (signal.aborted) throw canceled(`the verification of ${stream} was given up`);
    const message = await leader.nextOf(stream, next);
    if (message === undefined || message.sequence > end) break;
    const append = decoded(message);
    if (typeof append === 'string') yield `message ${message.sequence} of its subject cannot be read (${append})`;
    else {
      const difference = differenceOf(append, index);
      if (difference !== undefined) yield difference;
    }
    kept.add(message.sequence);
    next = message.sequence + 1;
  }
  for (let revision = 1; ; ) {
    const places = index.places(stream, revision, pageEventsMax);
    for (const { sequence, firstRevision, lastRevision } of places)
      if (sequence <= end && !kept.has(sequence))
        yield `events ${firstRevision} to ${lastRevision}: this replica has them in message ${sequence}, which is not in the log`;
    const last = places.at(-1);
    if (last === undefined) return;
    revision = last.lastRevision + 1;
  }
}

function differenceOf(append: LoggedAppend, index: DifferencesParts['index']): string | undefined {
  const { stream, sequence, firstRevision, lastRevision } = append;
  const shown = index.key(stream, append.key);
  const what = `events ${firstRevision} to ${lastRevision}, message ${sequence} of the log,`;
  if (shown?.sequence !== sequence) {
    const isThere = index.places(stream, firstRevision, 1)[0]?.sequence === sequence;
    return isThere
      ? `${what} have another idempotency key on this replica than ${JSON.stringify(append.key)}`
      : `${what} are missing on this replica`;
  }
  const isSame = shown.firstRevision === firstRevision && shown.lastRevision === lastRevision;
  if (!isSame || !equal(shown.hash, append.hash)) return `${what} are others on this replica`;
  // A repeat of the request would be taken for another request under the same key, or another request for a repeat.
  return shown.requestDigest === append.requestDigest
    ? undefined
    : `${what} have another request digest on this replica`;
}

/** The append of a message, or why it is none. */
function decoded({ subject, sequence, data }: Message): LoggedAppend | string {
  try {
    return decodeAppend(subject, sequence, data);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
