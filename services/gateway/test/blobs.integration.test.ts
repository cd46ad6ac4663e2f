import { unavailable } from '@stopgo/core';
import { expect, test, vi } from 'vitest';
import { gateway } from './support/gateway.ts';
import { ID } from './support/views.ts';

const digest = 'ab'.repeat(32);
const path = `/conversations/${ID}/blobs/${digest}`;
const described = ['cache-control', 'etag', 'content-disposition', 'content-length', 'content-type'];

/** A gateway whose store announces a picture of so many bytes, and sends these pieces of it. */
async function blobOf(size: number, pieces: readonly number[], failure?: Error) {
  const { url, lines } = await gateway({
    store: {
      async *getBlob() {
        yield { blob: { digest, mediaType: 'image/png', size: BigInt(size), name: '' } };
        for (const bytes of pieces) yield { bytes: new Uint8Array(bytes) };
        if (failure !== undefined) throw failure;
      },
    },
  });
  return { url: `${url}${path}`, lines };
}

const headersOf = (response: Response) =>
  Object.fromEntries([...response.headers].filter(([name]) => described.includes(name)));

test('an error before the first bytes is not described as the blob, so that nobody keeps it', async () => {
  const { url } = await blobOf(100, [], unavailable('NATS is away'));
  const response = await fetch(url);
  expect(response.status).toBe(503);
  const { 'content-length': _, ...others } = headersOf(response);
  expect(others).toEqual({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
});

test('a blob of which there is not one byte is an error', async () => {
  const response = await fetch((await blobOf(100, [])).url);
  expect(response.status).toBe(500);
  expect(headersOf(response)).not.toHaveProperty('etag');
});

test('a store that says nothing of a blob, not even what it is, is an error', async () => {
  const { url, lines } = await gateway({ store: { async *getBlob() {} } });
  for (const method of ['GET', 'HEAD']) {
    const response = await fetch(`${url}${path}`, { method });
    expect(response.status).toBe(500);
    expect(headersOf(response)).not.toHaveProperty('etag');
  }
  expect(lines.join('\n')).toContain(`blob ${digest}: nothing came from the store; run \`stopgo verify\``);
});

test('a blob without bytes is answered', async () => {
  const response = await fetch((await blobOf(0, [])).url);
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(headersOf(response)).toMatchObject({ 'content-length': '0', etag: `"${digest}"` });
});

test.each([
  ['no bytes at first and then fewer', [0, 40]],
  ['fewer', [40, 40]],
  ['more', [60, 60]],
])('a client that gets %s bytes than announced sees the answer break off', async (_, pieces) => {
  const { url, lines } = await blobOf(100, pieces);
  await expect(fetch(url).then((response) => response.arrayBuffer())).rejects.toThrow();
  // At once: not when nothing has come for so long that the connection is given up.
  await vi.waitFor(() => expect(lines.join('\n')).toMatch(/an answer broke off.* bytes came from the store, not 100/));
});

test('a picture is described with its first bytes, or in their place', async () => {
  const { url } = await blobOf(100, [0, 60, 40]);
  const response = await fetch(url);
  expect((await response.arrayBuffer()).byteLength).toBe(100);
  const head = await fetch(url, { method: 'HEAD' });
  expect(headersOf(head)).toEqual(headersOf(response));
  const known = await fetch(url, { headers: { 'if-none-match': `"${digest}"` } });
  expect([known.status, headersOf(known).etag]).toEqual([304, `"${digest}"`]);
});
