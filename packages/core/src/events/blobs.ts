import type { facts } from '@stopgo/proto';
import { blobNameCharactersMax, blobsPerResultMax } from '../text/bounds.ts';

/** Bytes of a result that are kept beside the log. */
export type BlobRef = {
  /** Hex SHA-256 of the bytes. */
  readonly digest: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  /** A name or an address that their server gives them; may be empty. */
  readonly name: string;
};

/** Whether a text can be the digest of a blob. */
export const isBlobDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** A name or an address of a blob as it is kept: at most `blobNameCharactersMax` code points, none of them in half. */
export const blobName = (given: string): string =>
  Array.from(given.slice(0, 2 * blobNameCharactersMax))
    .slice(0, blobNameCharactersMax)
    .join('');

/** The blobs that an event or a message names. */
export function blobRefs(blobs: readonly facts.BlobRef[]): BlobRef[] {
  return blobs.map(({ digest, mediaType, size, name }) => ({ digest, mediaType, size: Number(size), name }));
}

/** The same as an event has them; what is beyond the bounds is left out. */
export function blobRefsToWire(blobs: readonly BlobRef[]) {
  return blobs.slice(0, blobsPerResultMax).map(({ digest, mediaType, size, name }) => {
    return { digest, mediaType, size: BigInt(size), name: blobName(name) };
  });
}
