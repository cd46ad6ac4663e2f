import { failedPrecondition, notFound } from '@stopgo/core';

/** The call whose result is to name a blob. */
export type BlobHolder = { readonly conversationId: string; readonly runId: string; readonly callId: string };

/** A blob that is held for calls, or of which something may be left that nobody needs; as it was when somebody looked. */
export type HeldBlob = {
  readonly digest: string;
  readonly holders: readonly BlobHolder[];
  /** Tells the adapter what it showed. */
  readonly seen: unknown;
};

/**
 * Bytes beside the log, by their SHA-256 in hex: images, sounds and documents that events name.
 *
 * A blob is put for a call, and held for it until somebody who has looked at the log releases it: because an event names the blob, or
 * because none can any more. A blob that nobody holds and no event names is removed with the release of its last holder, in one step
 * with that: whoever puts the same bytes meanwhile either finds them whole, or makes them anew.
 *
 * Every method throws `unavailable` when the blobs cannot be reached now.
 */
export type BlobStore = {
  /** Keeps bytes for a call: durable before the answer. Bytes that are there already are only held for one more call. */
  put(digest: string, bytes: Uint8Array, holder: BlobHolder): Promise<void>;
  /** How many bytes there are; undefined if the blob is not kept. */
  size(digest: string): Promise<number | undefined>;
  /**
   * The bytes in order, in pieces of at most `blobPieceBytesMax`: all of them, or it throws. Throws `not_found` if the blob is not kept,
   * `data_loss` if it has not as many bytes as were put, `canceled` when the signal aborts.
   */
  read(digest: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The calls that a blob is held for. */
  holders(digest: string): Promise<readonly BlobHolder[]>;
  /** Blobs with something to look at, in order of digest, in pages of at most `blobsPerSweepPage`. They are listed once, looked at page by page. */
  held(): AsyncIterable<readonly HeldBlob[]>;
  /**
   * Ends the hold of some calls on a blob. With the last of all holders gone the blob goes too, unless an event names it. Does nothing
   * where the blob has changed in a way that matters since it was seen.
   */
  release(blob: HeldBlob, over: readonly BlobHolder[], isNamed: boolean): Promise<void>;
  /** Digests of blobs that may be kept, in order, in pages of at most `blobsPerSweepPage`. */
  digests(): AsyncIterable<readonly string[]>;
};

const refuse = async () => {
  throw failedPrecondition('this store keeps no blobs');
};

/** For a log beside which there is no place for blobs: none is taken, and none is there. */
export const noBlobs: BlobStore = {
  put: refuse,
  size: async () => undefined,
  // biome-ignore lint/correctness/useYield: there is nothing to give
  async *read(digest) {
    throw notFound(`there is no blob ${digest}`);
  },
  holders: async () => [],
  async *held() {},
  release: refuse,
  async *digests() {},
};
