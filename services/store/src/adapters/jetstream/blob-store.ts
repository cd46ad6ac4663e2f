// Blobs in JetStream, where nothing covers two messages at once.
//
// 1. What is known of a blob is its head, one message. It changes only from what was read: of any number of replicas one wins.
// 2. Pieces lie under an upload that stands on the head before the first of them is written, and until all of them are gone. So a
//    process may die anywhere: what it leaves is on a head.
// 3. A blob with anything to look at has a mark, written before the head says so. A sweep finds these and no others. A mark goes once
//    it is older than a connection to NATS that does not answer can be.
// 4. A blob is given up on the head first, against the head that was judged. Whoever puts the same bytes meanwhile has changed that.
import { failedPrecondition, notFound } from '@stopgo/core';
import type { BlobHolder, BlobStore, HeldBlob } from '../../blob-store.ts';
import { blobDroppedMs, blobPieceBytesMax, blobsPerSweepPage } from '../../bounds.ts';
import { wholeBlob } from '../../whole-blob.ts';
import type { BlobBucket, Mark, ReadHead } from './blob-bucket.ts';
import { type BlobHead, begun, ended, holdersOf, released } from './blob-head.ts';

type Seen = ReadHead & { readonly mark: Mark | undefined };

export type JetStreamBlobsParts = {
  readonly bucket: BlobBucket;
  /** Ids of uploads, unique for ever; letters, digits and hyphens. */
  readonly newId: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

export class JetStreamBlobStore implements BlobStore {
  readonly #bucket: BlobBucket;
  readonly #newId: () => string;
  readonly #now: () => number;

  constructor({ bucket, newId, now }: JetStreamBlobsParts) {
    this.#bucket = bucket;
    this.#newId = newId;
    this.#now = now;
  }

  async put(digest: string, bytes: Uint8Array, holder: BlobHolder): Promise<void> {
    const bucket = this.#bucket;
    const upload = { id: this.#newId(), holder };
    const first = await bucket.change(digest, (head) => begun(head, upload));
    if (first.stored !== undefined) return;
    const pieces = Math.ceil(bytes.byteLength / blobPieceBytesMax);
    for (let piece = 0; piece < pieces; piece++) {
      const from = piece * blobPieceBytesMax;
      await bucket.putPiece(upload.id, piece, bytes.subarray(from, from + blobPieceBytesMax));
    }
    const last = await bucket.change(digest, (head) => {
      const next = ended(head, upload, bytes.byteLength, pieces, this.#now());
      if (next === undefined) throw failedPrecondition(`the call ${holder.callId} has ended meanwhile`);
      return next;
    });
    if (last.stored?.id !== upload.id) await bucket.removePieces(upload.id);
  }

  async size(digest: string) {
    return (await this.#bucket.head(digest)).head.stored?.size;
  }

  async *read(digest: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const { stored } = (await this.#bucket.head(digest)).head;
    if (stored === undefined) throw notFound(`there is no blob ${digest}`);
    yield* wholeBlob(digest, stored.size, (index) => this.#bucket.piece(stored.id, index), signal);
  }

  async holders(digest: string) {
    return holdersOf((await this.#bucket.head(digest)).head);
  }

  async *held() {
    for (const digests of pages(await this.#bucket.marked())) {
      const found: HeldBlob[] = [];
      for (const digest of digests) {
        // The mark first: whoever puts the blob once more makes another before the head changes.
        const mark = await this.#bucket.markOf(digest);
        const read = await this.#bucket.head(digest);
        const seen: Seen = { ...read, mark };
        found.push({ digest, holders: holdersOf(read.head), seen });
      }
      yield found;
    }
  }

  async release({ digest, seen }: HeldBlob, over: readonly BlobHolder[], isNamed: boolean): Promise<void> {
    const bucket = this.#bucket;
    const { head: before, sequence, mark } = seen as Seen;
    const now = this.#now();
    let next = released(before, over, isNamed, now);
    // Whoever handed it in may not know yet that it is given up, and hand in more: so what was dropped is looked at once more later.
    const settled = next.dropped.filter(({ at }) => at <= now - blobDroppedMs);
    for (const { id } of settled) await bucket.removePieces(id);
    next = { ...next, dropped: next.dropped.filter((one) => !settled.includes(one)) };
    if (isEmpty(next)) await bucket.remove(sequence);
    else if (isChanged(before, next) && !(await bucket.writeHead(digest, next, sequence))) return;
    for (const { id } of next.dropped) await bucket.removePieces(id);
    const isDone = next.holders.length === 0 && next.uploads.length === 0 && next.dropped.length === 0;
    // Who has written the mark may be about to change the head; one that is old is of nobody who still does.
    if (isDone && mark !== undefined && mark.at <= now - blobDroppedMs) await bucket.remove(mark.sequence);
  }

  async *digests() {
    yield* pages(await this.#bucket.heads());
  }
}

/** The leader is asked for the names once: each question is answered with all of them. */
function* pages(digests: readonly string[]): Generator<readonly string[], void> {
  for (let from = 0; from < digests.length; from += blobsPerSweepPage)
    yield digests.slice(from, from + blobsPerSweepPage);
}

/** A release only ever takes away, or drops. */
function isChanged(before: BlobHead, next: BlobHead): boolean {
  const parts = ({ holders, uploads, dropped }: BlobHead) => [holders.length, uploads.length, dropped.length].join();
  return before.stored !== next.stored || parts(before) !== parts(next);
}

function isEmpty({ stored, holders, uploads, dropped }: BlobHead): boolean {
  return stored === undefined && holders.length === 0 && uploads.length === 0 && dropped.length === 0;
}
