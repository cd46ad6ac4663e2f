import { expect, test } from 'vitest';
import type { BlobBucket } from '../src/adapters/jetstream/blob-bucket.ts';
import { noHead } from '../src/adapters/jetstream/blob-head.ts';
import { JetStreamBlobStore } from '../src/adapters/jetstream/blob-store.ts';
import { sweepBlobs } from '../src/blob-sweep.ts';
import { blobsPerSweepPage } from '../src/bounds.ts';
import type { Views } from '../src/views.ts';
import { listed } from './listed.ts';

const names = Array.from({ length: 3 * blobsPerSweepPage + 1 }, (_, index) => index.toString(16).padStart(64, '0'));

/** A bucket of many blobs, and what it was asked for. */
function manyBlobs() {
  const asked: string[] = [];
  const asking = (what: string) => async () => {
    asked.push(what);
    return names;
  };
  const bucket: Partial<BlobBucket> = {
    heads: asking('heads'),
    marked: asking('marks'),
    markOf: async () => undefined,
    head: async () => ({ head: noHead, sequence: 0 }),
    remove: async () => undefined,
  };
  const blobs = new JetStreamBlobStore({ bucket: bucket as BlobBucket, newId: () => 'id', now: () => 0 });
  return { blobs, asked };
}

test('the leader is asked once for all names, however many blobs there are', async () => {
  const { blobs, asked } = manyBlobs();
  expect(await listed(blobs.digests())).toEqual(names);
  expect(asked).toEqual(['heads']);
});

test('so it is by a sweep, which catches up with the log once a page', async () => {
  const { blobs, asked } = manyBlobs();
  let caughtUp = 0;
  const views: Partial<Views> = {
    caughtUp: async () => {
      caughtUp += 1;
    },
    isBlobNamed: () => true,
  };
  await sweepBlobs({ blobs, views: views as Views }, new AbortController().signal);
  expect({ asked, caughtUp }).toEqual({ asked: ['marks'], caughtUp: 4 });
});
