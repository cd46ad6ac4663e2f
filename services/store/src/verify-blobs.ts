import { createHash } from 'node:crypto';
import { canceled, DomainError } from '@stopgo/core';
import type { BlobStore } from './blob-store.ts';
import { pageEventsMax } from './bounds.ts';
import { Problems } from './problems.ts';
import type { Views } from './views.ts';

/** One problem for each blob that the events of a conversation name, and that is not kept byte for byte. */
export async function blobProblems(
  { blobs, views }: { readonly blobs: BlobStore; readonly views: Views },
  conversationId: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const problems = new Problems();
  for (let after = ''; !problems.full; ) {
    const names = views.storedBlobNames(conversationId, after, pageEventsMax);
    const last = names.at(-1);
    if (last === undefined) break;
    after = last.key;
    for (const { key: digest } of names) {
      if (signal.aborted) throw canceled('the verification of the blobs was given up');
      const problem = await problemOf(blobs, digest, signal);
      if (problem !== undefined) problems.add(`blob ${digest}: ${problem}`);
    }
  }
  return problems.found;
}

async function problemOf(blobs: BlobStore, digest: string, signal: AbortSignal): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const bytes of blobs.read(digest, signal)) hash.update(bytes);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') return 'an event names it, and it is not there';
    if (error instanceof DomainError && error.kind === 'data_loss') return 'an event names it, and it is not all there';
    throw error;
  }
  const found = hash.digest('hex');
  return found === digest ? undefined : `its bytes are others; their SHA-256 is ${found}`;
}
