import { failedPrecondition, notFound } from '@stopgo/core';
import type { BlobStore } from './blob-store.ts';

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
