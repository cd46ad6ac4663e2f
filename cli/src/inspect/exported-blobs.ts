import { createHash } from 'node:crypto';
import { DomainError, type RecordedFact } from '@stopgo/core';
import type { OpenedStore } from './open-store.ts';

/** Bytes of blobs that one document holds; of those that come after it the digests stand there alone. */
const exportedBytesMax = 64 * 1024 * 1024;

/** What the events of a conversation name beside the log, gathered while they are read. */
export class ExportedBlobs {
  readonly #opened: OpenedStore;
  readonly #conversationId: string;
  readonly #lacks: (line: string) => void;
  readonly #exported = new Map<string, object>();
  #bytes = 0;

  /** `lacks`: is told of each blob that is lost or damaged, in a sentence. */
  constructor(opened: OpenedStore, conversationId: string, lacks: (line: string) => void) {
    this.#opened = opened;
    this.#conversationId = conversationId;
    this.#lacks = lacks;
  }

  /** Reads what an event names for the first time. */
  async add({ fact }: RecordedFact): Promise<void> {
    if (fact.case !== 'toolCallFinished') return;
    for (const { digest, mediaType: media_type, size, name } of fact.value.blobs) {
      if (this.#exported.has(digest)) continue;
      this.#bytes += Number(size);
      const fits = this.#bytes <= exportedBytesMax;
      const content = fits ? await this.#content(digest) : {};
      this.#exported.set(digest, { digest, media_type, size: Number(size), name, ...content });
    }
  }

  /**
   * In the order in which they were named. Without `bytes_base64` where there was no more room, or where they are `missing`
   * or `damaged`.
   */
  get all(): readonly object[] {
    return [...this.#exported.values()];
  }

  /** One that is lost or damaged must not take the whole conversation with it. */
  async #content(digest: string): Promise<object> {
    try {
      const bytes = await this.#read(digest);
      if (createHash('sha256').update(bytes).digest('hex') === digest)
        return { bytes_base64: bytes.toString('base64') };
      this.#lacks(
        `blob ${digest} of conversation ${this.#conversationId} is damaged: the store has other bytes than those of this digest, and they are not in the document; restore the log from a backup`,
      );
      return { damaged: true };
    } catch (error) {
      if (!(error instanceof DomainError) || (error.kind !== 'not_found' && error.kind !== 'data_loss')) throw error;
      this.#lacks(`blob ${digest} is missing: its bytes are not in the document; \`stopgo verify\` tells what is lost`);
      return { missing: true };
    }
  }

  async #read(digest: string): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    const request = { conversationId: this.#conversationId, digest };
    for await (const { bytes } of this.#opened.client.getBlob(request)) pieces.push(bytes);
    return Buffer.concat(pieces);
  }
}
