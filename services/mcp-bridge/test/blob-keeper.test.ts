import type { store } from '@stopgo/proto';
import type { Client } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { storeBlobs } from '../src/attempts/blob-keeper.ts';
import { mediaTypeOf } from '../src/results/media-type.ts';

const key = { conversationId: 'conversation', runId: 'run', callId: 'call' };
const png = Buffer.from('89504e470d0a1a0a00', 'hex');
const picture = (bytes: Buffer, name = '') => ({ base64: bytes.toString('base64'), declaredType: 'image/png', name });

function keeper(put: (bytes: Uint8Array) => Promise<{ digest: string }>) {
  const told: string[] = [];
  const client = { putBlob: ({ bytes }: { bytes: Uint8Array }) => put(bytes) };
  const log = { warn: (_: string, { reasons }: { reasons: string[] }) => told.push(reasons.join('; ')) };
  const blobs = storeBlobs({
    store: client as unknown as Pick<Client<typeof store.StoreService>, 'putBlob'>,
    clock: { sleep: async () => undefined } as never,
    random: () => 0,
    log: log as never,
    bounds: { blobAskMs: 1_000, blobWaitMs: 1_000 },
  });
  return { blobs, told };
}

const plain = (text: string) => text;

test('what results hold is put in order, and named by what it is', async () => {
  const { blobs } = keeper(async (bytes) => ({ digest: `digest of ${bytes.byteLength}` }));
  const kept = await blobs.keep(
    [picture(png, 'a name'), picture(Buffer.alloc(0)), picture(Buffer.from('text'))],
    key,
    plain,
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
  const kept = await blobs.keep([picture(secret), picture(png), picture(Buffer.concat([png, png]))], key, (text) =>
    text.replaceAll('s3cret-token', '[secret]'),
  );
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
  const kept = await blobs.keep(new Array(50_000).fill(picture(png)), key, (text) => {
    looks += 1;
    return text;
  });
  expect({ kept: kept.length, puts, told }).toEqual({ kept: count, puts: 32, told: [line] });
  expect(looks).toBeLessThan(100);
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
