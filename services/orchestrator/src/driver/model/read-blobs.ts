import { DomainError } from '@stopgo/core';
import { isUnknown, type OpenWait, untilAnswered } from '@stopgo/log';
import { blobsReadMs } from '../../bounds.ts';
import type { DriverPorts } from '../handle/ports.ts';

/** What the run is told while the store is out of reach. */
const reason = 'the store does not give its images and documents';

/**
 * The bytes of blobs of a conversation, by digest. One that is lost or damaged is left out. While the store is out of reach they are read
 * again, and a wait goes on that `begin` began. Rejects with the signal's reason if that aborts, and with `unavailable` after `blobsReadMs`:
 * no model is to answer without its pictures for an outage.
 */
export async function readBlobs(
  { blobs, clock, random }: Pick<DriverPorts, 'blobs' | 'clock' | 'random'>,
  conversationId: string,
  digests: Iterable<string>,
  signal: AbortSignal,
  begin: (reason: string) => OpenWait,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const limit = new AbortController();
  const isOver = new AbortController();
  clock.sleep(blobsReadMs, isOver.signal).then(
    () => limit.abort(new DomainError('unavailable', reason)),
    () => undefined,
  );
  const within = AbortSignal.any([signal, limit.signal]);
  let wait: OpenWait | undefined;
  const read = async (digest: string): Promise<Uint8Array | undefined> => {
    try {
      return await blobs.read(conversationId, digest, within);
    } catch (error) {
      within.throwIfAborted();
      if (!isUnknown(error)) return undefined;
      wait ??= begin(reason);
      throw error;
    }
  };
  const found = new Map<string, Uint8Array>();
  try {
    for (const digest of digests) {
      const bytes = await untilAnswered(() => read(digest), clock, random, within);
      if (bytes !== undefined) found.set(digest, bytes);
    }
    return found;
  } finally {
    isOver.abort(allRead);
    wait?.end();
  }
}

/** Made once: an abort without a reason of its own makes an exception with a stack each time. */
const allRead = new Error('nobody waits for these blobs any more');
