import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { failedPrecondition } from '@stopgo/core';
import { BlobBucket } from '../src/adapters/jetstream/blob-bucket.ts';
import { JetStreamBlobStore } from '../src/adapters/jetstream/blob-store.ts';
import { parseNatsUrl } from '../src/adapters/nats/address.ts';
import { openLink } from '../src/adapters/nats/link.ts';
import { blobStoreContract } from './blob-store.contract.ts';
import { streamName } from './jetstream-log.ts';
import { describeWithNats, startNats } from './nats-server.ts';
import { silent } from './sqlite-log.ts';

const never = new AbortController().signal;

/** A bucket whose process ends before a write, after so many. */
class MortalBucket extends BlobBucket {
  left = Number.POSITIVE_INFINITY;

  override async writeHead(...args: Parameters<BlobBucket['writeHead']>) {
    this.#live();
    return super.writeHead(...args);
  }

  override async putPiece(...args: Parameters<BlobBucket['putPiece']>) {
    this.#live();
    return super.putPiece(...args);
  }

  override async removePieces(...args: Parameters<BlobBucket['removePieces']>) {
    this.#live();
    return super.removePieces(...args);
  }

  #live(): void {
    if (this.left-- <= 0) throw failedPrecondition('killed');
  }
}

describeWithNats('jetstream', () =>
  blobStoreContract('jetstream', async () => {
    const server = await startNats();
    const link = await openLink({ address: parseNatsUrl(server.url), log: silent, signal: never, name: 'blobs' });
    let passed = 0;
    const open = () => {
      const bucket = new MortalBucket({
        link,
        stream: streamName,
        replicas: 1,
        space: { refused: () => undefined, stored: () => undefined },
      });
      const now = () => Date.now() + passed;
      return { bucket, blobs: new JetStreamBlobStore({ bucket, newId: randomUUID, now }) };
    };
    let opened = open();
    return {
      blobs: () => opened.blobs,
      async reopen() {
        opened = open();
      },
      pass: (ms) => {
        passed += ms;
      },
      stored: async () => {
        const manager = await jetstreamManager(link.connection);
        return (await manager.streams.info(`${streamName}_BLOBS`)).state.messages;
      },
      async loseLastPiece() {
        const { streams } = await jetstreamManager(link.connection);
        const last = await streams.getMessage(`${streamName}_BLOBS`, { last_by_subj: 'stopgo.blobs.piece.>' });
        await streams.deleteMessage(`${streamName}_BLOBS`, last?.seq ?? 0, false);
      },
      failAfter: (writes) => {
        opened.bucket.left = writes;
      },
      async close() {
        await link.close();
        await server.remove();
      },
    };
  }),
);
