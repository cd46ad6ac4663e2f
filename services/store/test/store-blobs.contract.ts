import { createHash, randomUUID } from 'node:crypto';
import type { BlobRef } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { describe, expect, test } from 'vitest';
import type { StoreUnderTest } from './store.contract.ts';
import { Story } from './story.ts';

type StoreClient = Client<typeof store.StoreService>;

const callId = 'root#1.0';
const bytes = new Uint8Array(Buffer.alloc(300_000, randomUUID()));
const digest = createHash('sha256').update(bytes).digest('hex');
const blob: BlobRef = { digest, mediaType: 'image/png', size: bytes.byteLength, name: 'a picture' };

/** A conversation whose call is under way. */
export async function underWay(client: StoreClient): Promise<Story> {
  const story = new Story();
  for (const append of [story.created(), story.asked('hello'), story.stopped(), story.approved(), story.started()])
    await client.append(append);
  return story;
}

async function read(client: StoreClient, conversationId: string, held = false) {
  const hash = createHash('sha256');
  let named: unknown;
  for await (const piece of client.getBlob({ conversationId, digest, held })) {
    named ??= piece.blob;
    hash.update(piece.bytes);
  }
  return { named, digest: hash.digest('hex') };
}

/** What every store does with the blobs of calls. */
export function blobContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`blobs: ${name}`, () => {
    const opened = async (use: (client: StoreClient) => Promise<void>) => {
      const { client, close } = await open();
      try {
        await use(client);
      } finally {
        await close();
      }
    };

    test('a blob is read by its conversation once an event names it, before that only where it is held', async () => {
      await opened(async (client) => {
        const story = await underWay(client);
        const { id: conversationId, runId } = story;
        const holder = { conversationId, runId, callId };
        expect(await client.putBlob({ bytes, holder })).toMatchObject({ digest });
        await expect(read(client, conversationId)).rejects.toMatchObject({ kind: 'not_found' });
        expect(await read(client, conversationId, true)).toMatchObject({ digest });
        expect((await client.verifyBlobs({})).problems).toEqual([]);
        await client.append(story.finished('[image]', [blob]));
        const { named, digest: found } = await read(client, conversationId);
        expect(found).toBe(digest);
        expect(named).toMatchObject({ ...blob, size: BigInt(blob.size) });
        expect((await client.verifyStream({ stream: story.stream })).problems).toEqual([]);
        expect(await client.verifyBlobs({})).toMatchObject({ blobs: 1, problems: [] });
        const elsewhere = await underWay(client);
        await expect(read(client, elsewhere.id, true)).rejects.toMatchObject({ kind: 'not_found' });
      });
    });

    test('a blob is taken only for a call that is under way, and only within its bounds', async () => {
      await opened(async (client) => {
        const story = await underWay(client);
        const holder = { conversationId: story.id, runId: story.runId, callId };
        const refused = (kind: string, given: object) =>
          expect(client.putBlob({ bytes, holder, ...given })).rejects.toMatchObject({ kind });
        await refused('failed_precondition', { holder: { ...holder, callId: 'root#9.0' } });
        await refused('failed_precondition', { holder: { ...holder, conversationId: randomUUID() } });
        await refused('invalid_argument', { holder: { ...holder, conversationId: 'x' } });
        await refused('invalid_argument', { bytes: new Uint8Array() });
        await refused('invalid_argument', { bytes: new Uint8Array(12 * 1024 * 1024 + 1) });
        await client.append(story.finished());
        await refused('failed_precondition', {});
      });
    });

    test('an event that names a blob which is not there is told', async () => {
      await opened(async (client) => {
        const story = await underWay(client);
        await client.append(story.finished('[image]', [blob]));
        expect((await client.verifyStream({ stream: story.stream })).problems).toEqual([
          `blob ${digest}: an event names it, and it is not there`,
        ]);
      });
    });
  });
}
