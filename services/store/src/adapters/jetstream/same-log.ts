import { equal } from '../../problems.ts';
import { decodeAppend } from './batch-message.ts';
import type { StreamIndex } from './index-tables.ts';
import type { Leader } from './leader.ts';
import type { Pipeline } from './pipeline.ts';

/** How the log is not the one that this replica's views were made of. */
export type NotSame = {
  /**
   * `other`: the last message that was taken in is not the one that the log has in its place. `shorter`: the log ends before
   * it.
   */
  readonly kind: 'other' | 'shorter';
  /** Sequence of the last message that was taken in. */
  readonly shown: number;
  /** Sequence at which the log ends. */
  readonly last: number;
};

export type SameLogParts = {
  readonly leader: Leader;
  readonly pipeline: Pick<Pipeline, 'applied'>;
  readonly index: Pick<StreamIndex, 'endHash'>;
};

/**
 * Asks whether the log is still the one that the index and the views were made of: an id alone does not tell, since a log
 * that was restored from a backup keeps it. Throws `unavailable` while nobody answers.
 */
export async function sameLog({ leader, pipeline, index }: SameLogParts): Promise<NotSame | { readonly kind: 'same' }> {
  // Both of one moment.
  const [shown, hash] = [pipeline.applied, index.endHash];
  const last = await leader.lastSequence();
  if (last < shown) return { kind: 'shorter', shown, last };
  if (shown === 0 || hash.byteLength === 0) return { kind: 'same' };
  const message = await leader.message(shown);
  // One that is gone or damaged is for `verify` to name: nothing better could be made of it now.
  const found = message === undefined ? undefined : hashOf(message.subject, message.data);
  return found === undefined || equal(found, hash) ? { kind: 'same' } : { kind: 'other', shown, last };
}

function hashOf(subject: string, data: Uint8Array): Uint8Array | undefined {
  try {
    return decodeAppend(subject, 0, data).hash;
  } catch {
    return undefined;
  }
}
