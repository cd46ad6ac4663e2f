import { mediaTypeOf } from '@stopgo/core';
import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { storeBlobs } from '../src/attempts/blob-keeper.ts';

const key = { conversationId: 'conversation', runId: 'run', callId: 'call' };
const png = Buffer.from('89504e470d0a1a0a00', 'hex');
const picture = (bytes: Buffer, name = '') => ({ base64: bytes.toString('base64'), declaredType: 'image/png', name });

type Put = (bytes: Uint8Array, signal: AbortSignal) => Promise<{ digest: string }>;

function keeper(put: Put) {
  const told: string[] = [];
  const client = {
    putBlob: ({ bytes }: { bytes: Uint8Array }, options: { signal: AbortSignal }) => put(bytes, options.signal),
  };
  const log = { warn: (_: string, { reasons }: { reasons: string[] }) => told.push(reasons.join('; ')) };
  const blobs = storeBlobs({
    store: client as unknown as Pick<Client<typeof store.StoreService>, 'putBlob'>,
    clock: { sleep: async () => undefined } as never,
    random: () => 0,
    log: log as never,
    bounds: { blobAskMs: 1_000, blobWaitMs: 1_000, blobBytesWaitingMax: 20 },
  });
  return { blobs, told };
}

const plain = (text: string) => text;
const { signal } = new AbortController();

test('what results hold is put in order, and named by what it is', async () => {
  const { blobs } = keeper(async (bytes) => ({ digest: `digest of ${bytes.byteLength}` }));
  const kept = await blobs.keep(
    [picture(png, 'a name'), picture(Buffer.alloc(0)), picture(Buffer.from('text'))],
    key,
    plain,
    signal,
  );
  expect(kept).toEqual([
    { digest: 'digest of 9', mediaType: 'image/png', size: 9, name: 'a name' },
    { digest: 'digest of 4', mediaType: 'application/octet-stream', size: 4, name: '' },
  ]);
});

test('what holds a secret, or is refused by the store, is left out and told; the rest is kept', async () => {
  const { blobs, told } = keeper(async (bytes) => {
    if (bytes.byteLength === png.byteLength) throw new Error('refused');
    return { digest: 'kept' };
  });
  const secret = Buffer.concat([png, Buffer.from('s3cret-token')]);
  const clean = (text: string) => text.replaceAll('s3cret-token', '[secret]');
  const pictures = [picture(secret), picture(png), picture(Buffer.concat([png, png]))];
  const kept = await blobs.keep(pictures, key, clean, signal);
  expect(kept.map(({ digest }) => digest)).toEqual(['kept']);
  expect(told).toEqual(['1: it holds a token or a key that the platform keeps secret; 1: refused']);
});

test.each([
  ['kept', async () => ({ digest: 'kept' }), 32, '49968: a result keeps at most 32'],
  [
    'refused',
    async () => {
      throw new Error('refused');
    },
    0,
    '32: refused; 49968: a result keeps at most 32',
  ],
])('of 50,000 images 32 are %s, no other is looked at, and one line tells of them', async (_, put, count, line) => {
  let puts = 0;
  const { blobs, told } = keeper(async () => {
    puts += 1;
    return put();
  });
  let looks = 0;
  const look = (text: string) => {
    looks += 1;
    return text;
  };
  const kept = await blobs.keep(new Array(50_000).fill(picture(png)), key, look, signal);
  expect({ kept: kept.length, puts, told }).toEqual({ kept: count, puts: 32, told: [line] });
  expect(looks).toBeLessThan(100);
});

/** A store that takes the first blobs and then says nothing. */
const takes = (count: number): Put => {
  let taken = 0;
  return async (_, end) => {
    if (taken++ < count) return { digest: 'kept' };
    return new Promise((_resolve, reject) => end.addEventListener('abort', () => reject(end.reason)));
  };
};

test('a call that is canceled waits for the store no more, and its result names what is kept already', async () => {
  const { blobs, told } = keeper(takes(1));
  const cancel = new AbortController();
  const keeping = blobs.keep(new Array(4).fill(picture(png)), key, plain, cancel.signal);
  cancel.abort();
  expect((await keeping).map(({ digest }) => digest)).toEqual(['kept']);
  expect(told).toEqual(['3: its call was canceled meanwhile']);
});

test('a store that says nothing is waited for as long as is allowed', async () => {
  const { blobs, told } = keeper(takes(0));
  expect(await blobs.keep([picture(png), picture(png)], key, plain, signal)).toEqual([]);
  expect(told).toEqual(['2: the store did not take it in time']);
});

test('results whose bytes would be too many together go on without them, one may always wait', async () => {
  const { blobs, told } = keeper(takes(0));
  const cancel = new AbortController();
  const large = [picture(Buffer.alloc(30, 1))];
  const waiting = blobs.keep(large, key, plain, cancel.signal);
  expect(await blobs.keep([picture(png)], key, plain, signal)).toEqual([]);
  expect(told).toEqual(['1: too many of other results wait to be stored']);
  cancel.abort();
  await waiting;
  const small = [picture(png), picture(png)];
  const both = [blobs.keep(small, key, plain, cancel.signal), blobs.keep(small, key, plain, cancel.signal)];
  await Promise.all(both);
  expect(told.slice(1)).toEqual([
    '1: its call was canceled meanwhile',
    '2: too many of other results wait to be stored',
    '2: its call was canceled meanwhile',
  ]);
});

test('a long name is cut, but no character of it', async () => {
  const { blobs } = keeper(async () => ({ digest: 'kept' }));
  const [kept] = await blobs.keep([picture(png, `a${'\u{1f600}'.repeat(200)}`)], key, plain, signal);
  expect(kept?.name).toBe(`a${'\u{1f600}'.repeat(199)}`);
});

test.each([
  [png, 'text/html', 'image/png'],
  [Buffer.from('%PDF-1.7'), '', 'application/pdf'],
  [Buffer.from('RIFF....WEBP'), 'image/png', 'image/webp'],
  [Buffer.from('<svg/>'), 'image/svg+xml', 'image/svg+xml'],
  [Buffer.from('<b>'), 'Text/HTML; charset=utf-8', 'text/html'],
  [Buffer.from('no picture'), 'image/jpg', 'application/octet-stream'],
  [Buffer.from('x'), 'text/plain\r\nX: y', 'application/octet-stream'],
  [Buffer.from('x'), '', 'application/octet-stream'],
])('the type of bytes is what they show, else what can be', (bytes, declared, type) => {
  expect(mediaTypeOf(bytes, declared)).toBe(type);
});
