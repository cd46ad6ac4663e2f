import { createHash, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type BlobRef, fact } from '@stopgo/core';
import { store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { text } from '../src/adapters/sqlite/database.ts';
import { resetViews } from '../src/adapters/sqlite-views/schema.ts';
import { startBlobSweep, sweepBlobs } from '../src/blob-sweep.ts';
import { blobSweepMs } from '../src/bounds.ts';
import { Deltas } from '../src/deltas.ts';
import { startStore } from '../src/index.ts';
import { Instances } from '../src/instances.ts';
import { storeService } from '../src/service.ts';
import { listed } from './listed.ts';
import { keepingLog } from './log-lines.ts';
import { freshDirectory, openParts, silent } from './sqlite-log.ts';
import { underWay } from './store-blobs.contract.ts';

const never = new AbortController().signal;
let dataDir: string;
let parts: ReturnType<typeof openParts>;

const clientOf = () => {
  const { events: log, views, blobs } = parts;
  const more = { deltas: new Deltas(), instances: new Instances(true, () => 0), openStreamsMax: 9 };
  return createInProcessClient(store.StoreService, storeService({ log, views, blobs, ...more }));
};

beforeEach(() => {
  dataDir = freshDirectory();
  parts = openParts(dataDir);
});
afterEach(async () => {
  await parts.close();
  rmSync(dataDir, { recursive: true });
});

/** After all that goes on by itself. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A blob that is put for the call of a new conversation. */
async function put(bytes: Uint8Array = new Uint8Array(Buffer.from(randomUUID()))) {
  const client = clientOf();
  const story = await underWay(client);
  const holder = { conversationId: story.id, runId: story.runId, callId: 'root#1.0' };
  const { digest } = await client.putBlob({ bytes, holder });
  const blob: BlobRef = { digest, mediaType: 'image/png', size: bytes.byteLength, name: '' };
  return { client, story, blob, digest };
}

test('a blob is kept while its call may still name it, however long that takes, and for good once an event does', async () => {
  const { client, story, blob, digest } = await put();
  const { runId } = story;
  const place = { runId, stepId: 'root', callId: 'root#1.0', attempt: 1 };
  await client.append(story.append(fact('toolCallInDoubt', { ...place, reason: 'nobody knows' })));
  await sweepBlobs(parts, never);
  expect(await parts.blobs.size(digest)).toBe(blob.size);
  await client.append(story.finished('[image]', [blob]));
  await client.append(story.completed());
  await sweepBlobs(parts, never);
  expect(await listed(parts.blobs.held())).toEqual([]);
  expect(await parts.blobs.size(digest)).toBe(blob.size);
  expect((await client.verifyBlobs({})).problems).toEqual([]);
});

test('a blob goes when its call, or its run, has ended without naming it', async () => {
  const ended = await put();
  await ended.client.append(ended.story.finished('no image'));
  const canceled = await put();
  await canceled.client.append(canceled.story.append(fact('runCanceled', { runId: canceled.story.runId })));
  const open = await put();
  expect((await clientOf().verifyBlobs({})).blobs).toBe(3);
  await sweepBlobs(parts, never);
  const left = await Promise.all([ended, canceled, open].map(({ digest }) => parts.blobs.size(digest)));
  expect(left).toEqual([undefined, undefined, open.blob.size]);
});

test('bytes that two calls put stay for the one that names them', async () => {
  const bytes = new Uint8Array(Buffer.from(randomUUID()));
  const first = await put(bytes);
  const second = await put(bytes);
  await first.client.append(first.story.finished('no image'));
  await sweepBlobs(parts, never);
  await second.client.append(second.story.finished('[image]', [second.blob]));
  await sweepBlobs(parts, never);
  expect(await parts.blobs.size(second.digest)).toBe(bytes.byteLength);
  expect((await second.client.verifyStream({ stream: second.story.stream })).problems).toEqual([]);
});

test('what nobody names and no call holds is told by a verification', async () => {
  const { client, digest } = await put();
  parts.database.exec('DELETE FROM blob_holders');
  expect((await client.verifyBlobs({})).problems).toEqual([
    `blob ${digest}: it is kept, but no event names it and no call holds it`,
  ]);
});

test('bytes that have changed on the disk are told, and views that are made anew name the same blobs', async () => {
  const { client, story, blob, digest } = await put();
  await client.append(story.finished('[image]', [blob]));
  resetViews(parts.database);
  await parts.close();
  const again = await startStore({ dataDir, log: silent });
  const verified = createInProcessClient(store.StoreService, again.service);
  expect((await verified.verifyStream({ stream: story.stream })).problems).toEqual([]);
  await again.stop();
  parts = openParts(dataDir);
  parts.database.exec('UPDATE blob_pieces SET bytes = zeroblob(length(bytes))');
  const other = createHash('sha256').update(Buffer.alloc(blob.size)).digest('hex');
  const problems = async () => (await clientOf().verifyStream({ stream: story.stream })).problems;
  expect(await problems()).toEqual([`blob ${digest}: its bytes are others; their SHA-256 is ${other}`]);
  parts.database.exec("UPDATE blob_pieces SET bytes = x'00'");
  expect(await problems()).toEqual([`blob ${digest}: an event names it, and it is not all there`]);
});

test('while a conversation is set aside, what its events may name is neither removed nor told', async () => {
  const bytes = new Uint8Array(Buffer.from(randomUUID()));
  const { client, story, blob, digest } = await put(bytes);
  await client.append(story.finished('[image]', [blob]));
  await client.append(story.completed());
  await sweepBlobs(parts, never);
  const position = parts.heads.lastPosition;
  const sound = parts.database.one('SELECT hex(envelope) FROM events WHERE position = ?', (row) => text(row, 0))(
    position,
  );
  const restart = async (change: string) => {
    parts.database.exec(change);
    resetViews(parts.database);
    await parts.close();
    await (await startStore({ dataDir, log: silent })).stop();
    parts = openParts(dataDir);
  };
  await restart(`UPDATE events SET envelope = x'ffff' WHERE position = ${position}`);
  expect(parts.allSetAside(2)).toMatchObject([{ conversationId: story.id }]);
  expect((await clientOf().verifyBlobs({})).problems).toEqual([]);

  const other = await put(bytes);
  await other.client.append(other.story.append(fact('runCanceled', { runId: other.story.runId })));
  const unnamed = await put();
  await unnamed.client.append(unnamed.story.finished('no image'));
  expect(await sweepBlobs(parts, never)).toBe(2);
  expect(await parts.blobs.size(digest)).toBe(bytes.byteLength);

  // Once all can be read again it is known what is named, and what is not.
  await restart(`UPDATE events SET envelope = x'${sound}' WHERE position = ${position}`);
  expect(await sweepBlobs(parts, never)).toBe(0);
  expect(await parts.blobs.size(digest)).toBe(bytes.byteLength);
  expect(await parts.blobs.size(unnamed.digest)).toBeUndefined();
  expect(await listed(parts.blobs.held())).toEqual([]);
});

test('a blob that no call holds any more is left to who can tell whether it is named', async () => {
  const released: (readonly [string, boolean])[] = [];
  const names = new Map([
    ['aa', true],
    ['bb', false],
  ]);
  const blobs = {
    ...parts.blobs,
    async *held() {
      yield ['aa', 'bb', 'cc'].map((digest) => ({ digest, holders: [], seen: null }));
    },
    release: async ({ digest }: { readonly digest: string }, _: unknown, isNamed: boolean) => {
      released.push([digest, isNamed]);
    },
  };
  const { views } = parts;
  views.isBlobNamed = (digest) => names.get(digest);
  await sweepBlobs({ blobs, views }, never);
  expect(released).toEqual([...names]);
});

test('that blobs cannot be judged is told once, and again when it is so anew', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  // What each sweep finds: nobody can tell of what no call holds; what a call holds is not asked about.
  const found = [['aa', 'bb'], ['aa', 'bb'], [], ['aa']];
  let sweeps = 0;
  const blobs = {
    ...parts.blobs,
    async *held() {
      yield [
        ...(found[sweeps++] ?? []).map((digest) => ({ digest, holders: [], seen: null })),
        { digest: 'cc', holders: [{ conversationId: story.id, runId: story.runId, callId: 'root#1.0' }], seen: null },
      ];
    },
  };
  const { story } = await put();
  const { views } = parts;
  views.isBlobNamed = () => undefined;
  const { log, lines } = keepingLog();
  const sweep = startBlobSweep({ blobs, views }, log);
  for (let swept = 1; swept <= found.length; swept += 1) {
    await vi.waitFor(() => expect(sweeps).toBe(swept));
    await settled();
    vi.advanceTimersByTime(blobSweepMs);
  }
  await vi.waitFor(() => expect(lines).toHaveLength(2));
  await sweep.stop();
  const line = 'warn: blobs are kept that nobody may need: a conversation is set aside, and what it names is not known';
  expect(lines).toEqual([`${line} {"blobs":2}`, `${line} {"blobs":1}`]);
});

test('no sweep waits for one that takes long, and none begins once the store stops', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let looks = 0;
  const ends: (() => void)[] = [];
  const blobs = {
    ...parts.blobs,
    async *held() {
      looks += 1;
      await new Promise<void>((resolve) => ends.push(resolve));
    },
  };
  const { views } = parts;
  const sweep = startBlobSweep({ blobs, views }, silent);
  vi.advanceTimersByTime(10 * blobSweepMs);
  ends[0]?.();
  await settled();
  expect(looks).toBe(1);
  vi.advanceTimersByTime(blobSweepMs);
  await settled();
  expect(looks).toBe(2);
  ends[1]?.();
  await sweep.stop();
  expect(await sweepBlobs({ blobs, views }, AbortSignal.abort())).toBe(0);
  expect(looks).toBe(2);
});
