import { createHash, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlobHolder, BlobStore } from '../src/blob-store.ts';
import { blobDroppedMs, blobPieceBytesMax } from '../src/bounds.ts';
import { listed } from './listed.ts';

/** Where blobs are kept, for a test. */
export type BlobsUnderTest = {
  blobs(): BlobStore;
  /** As after a crash: whatever is in memory is lost. */
  reopen(): Promise<void>;
  /** Lets time pass, in milliseconds. */
  pass(ms: number): void;
  /** Messages or rows of bytes that are stored, whether or not anybody can read them. */
  stored(): Promise<number>;
  /** Takes away the bytes that were written last. */
  loseLastPiece(): Promise<void>;
  /** Breaks the next put after so many writes. */
  failAfter(writes: number): void;
  close(): Promise<void>;
};

const never = new AbortController().signal;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const someBytes = (length: number, fill = randomUUID()) => new Uint8Array(Buffer.alloc(length, fill));
const aCall = (): BlobHolder => ({ conversationId: randomUUID(), runId: randomUUID(), callId: 'root#1.0' });

/** What every place for blobs must do. */
export function blobStoreContract(name: string, open: () => Promise<BlobsUnderTest>): void {
  describe(`blobs: ${name}`, () => {
    let place: BlobsUnderTest;
    beforeEach(async () => {
      place = await open();
    });
    afterEach(() => place.close());

    const put = async (bytes: Uint8Array, holder = aCall()) => {
      const digest = sha256(bytes);
      await place.blobs().put(digest, bytes, holder);
      return { digest, holder };
    };
    const read = async (digest: string) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of place.blobs().read(digest, never)) pieces.push(piece);
      expect(Math.max(0, ...pieces.map((piece) => piece.byteLength))).toBeLessThanOrEqual(blobPieceBytesMax);
      return sha256(Buffer.concat(pieces));
    };
    const held = async (digest: string) => {
      const all = await listed(place.blobs().held());
      return all.find((one) => one.digest === digest);
    };
    const digests = () => listed(place.blobs().digests());
    const release = async (digest: string, over: readonly BlobHolder[], isNamed: boolean) => {
      const blob = await held(digest);
      if (blob !== undefined) await place.blobs().release(blob, over, isNamed);
    };
    /** All sweeps that there may be, until nothing changes any more. */
    const settle = async (digest: string) => {
      for (let sweep = 0; sweep < 3; sweep += 1) {
        place.pass(blobDroppedMs + 1);
        const blob = await held(digest);
        if (blob !== undefined && blob.holders.length === 0) await place.blobs().release(blob, [], false);
      }
    };

    test.each([1, blobPieceBytesMax, 3 * blobPieceBytesMax + 17])(
      '%i bytes come back as they were, also after a crash',
      async (length) => {
        const bytes = someBytes(length);
        const { digest, holder } = await put(bytes);
        await place.reopen();
        expect(await place.blobs().size(digest)).toBe(length);
        expect(await read(digest)).toBe(digest);
        expect(await place.blobs().holders(digest)).toEqual([holder]);
        expect(await digests()).toEqual([digest]);
      },
    );

    test('what is not kept is not there', async () => {
      const digest = sha256(someBytes(3));
      expect(await place.blobs().size(digest)).toBeUndefined();
      expect(await place.blobs().holders(digest)).toEqual([]);
      await expect(read(digest)).rejects.toMatchObject({ kind: 'not_found' });
    });

    test('a blob that has lost bytes is damaged, and never read as if it were whole', async () => {
      const bytes = someBytes(2 * blobPieceBytesMax + 5);
      const { digest } = await put(bytes);
      await place.loseLastPiece();
      await expect(read(digest)).rejects.toMatchObject({ kind: 'data_loss' });
      const { digest: other } = await put(someBytes(5));
      await expect(place.blobs().read(other, AbortSignal.abort())[Symbol.asyncIterator]().next()).rejects.toMatchObject(
        {
          kind: 'canceled',
        },
      );
    });

    test('the same bytes are kept once, for as many calls as put them, and for one that repeats it once', async () => {
      const bytes = someBytes(2 * blobPieceBytesMax);
      const { digest, holder: first } = await put(bytes);
      const stored = await place.stored();
      const { holder: second } = await put(bytes);
      await put(bytes, second);
      expect(await place.stored()).toBe(stored);
      expect(await place.blobs().holders(digest)).toHaveLength(2);
      await release(digest, [first], false);
      expect(await place.blobs().holders(digest)).toEqual([second]);
      expect(await read(digest)).toBe(digest);
    });

    test('a blob goes with its last holder if no event names it, and leaves nothing', async () => {
      const { digest, holder } = await put(someBytes(2 * blobPieceBytesMax));
      await release(digest, [holder], false);
      await settle(digest);
      expect(await place.blobs().size(digest)).toBeUndefined();
      expect({ held: await held(digest), stored: await place.stored() }).toEqual({ held: undefined, stored: 0 });
      expect(await digests()).toEqual([]);
    });

    test('a blob that an event names stays when nobody holds it any more, and is not looked at again', async () => {
      const bytes = someBytes(100);
      const { digest, holder } = await put(bytes);
      await release(digest, [holder], true);
      place.pass(blobDroppedMs + 1);
      await release(digest, [], true);
      expect(await held(digest)).toBeUndefined();
      expect(await read(digest)).toBe(digest);
    });

    test('a call that puts the bytes while they are given up finds them whole, or makes them anew', async () => {
      const bytes = someBytes(2 * blobPieceBytesMax);
      const { digest, holder } = await put(bytes);
      const seen = await held(digest);
      const { holder: other } = await put(bytes);
      if (seen !== undefined) await place.blobs().release(seen, [holder], false);
      expect(await read(digest)).toBe(digest);
      expect(await place.blobs().holders(digest)).toContainEqual(other);
      await release(digest, await place.blobs().holders(digest), false);
      expect(await place.blobs().size(digest)).toBeUndefined();
      await put(bytes, other);
      await settle(digest);
      expect(await read(digest)).toBe(digest);
    });

    test('killed at every write of a put: it is whole or not there, and what is left is found by its call', async () => {
      for (let writes = 0; ; writes += 1) {
        const bytes = someBytes(2 * blobPieceBytesMax + 5);
        const [digest, holder] = [sha256(bytes), aCall()];
        place.failAfter(writes);
        const isDone = await put(bytes, holder).then(
          () => true,
          () => false,
        );
        await place.reopen();
        const size = await place.blobs().size(digest);
        if (isDone) expect(size).toBe(bytes.byteLength);
        if (size !== undefined) expect(await read(digest)).toBe(digest);
        const left = await held(digest);
        if (size !== undefined) expect(left?.holders).toEqual([holder]);
        // The call has ended without an event that names it.
        await release(digest, left?.holders ?? [], false);
        await settle(digest);
        expect({ writes, stored: await place.stored(), held: await held(digest) }).toEqual({
          writes,
          stored: 0,
          held: undefined,
        });
        if (isDone) return;
      }
    });
  });
}
