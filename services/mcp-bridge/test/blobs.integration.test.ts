import { expect, test } from 'vitest';
import { eventually, finishedOf, scriptedServer, startBridge } from './support/bridge.ts';

const modelKey = 'sk-live-0123456789';
const png = Buffer.from('89504e470d0a1a0a00', 'hex');

const showing = (bytes: Buffer) => scriptedServer('s', [`--picture=${bytes.toString('base64')}`]).config;

test('a picture that holds the key of a model is not kept; another one is', async () => {
  const withKey = Buffer.concat([png, Buffer.from(`key=${modelKey};`)]);
  const told = await startBridge([showing(withKey)], { secrets: [modelKey] });
  const { blobs, content } = finishedOf(await told.execute('picture', {}));
  expect({ blobs, kept: told.store.blobs }).toEqual({ blobs: [], kept: [] });
  expect(content).toBe(`[image image/png, ${withKey.byteLength} bytes]`);
  expect(told.logText()).toContain('it holds a token or a key that the platform keeps secret');

  const fine = await startBridge([showing(png)], { secrets: [modelKey] });
  expect(finishedOf(await fine.execute('picture', {})).blobs).toMatchObject([{ mediaType: 'image/png', size: 9n }]);
  expect(fine.store.blobs.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual([png.toString('hex')]);
});

test.each(['a cancel', 'a stop'])('%s does not wait for a store that takes no picture: the call ran', async (end) => {
  const { bridge, client, instance, keyOf, send, store, logText } = await startBridge([showing(png)]);
  store.blobsTaken = false;
  const { outcome } = await send('picture', {}, { call: 'c' });
  await eventually(() => store.blobs.length > 0, 'the picture is put');
  const ended = end === 'a stop' ? bridge.stop() : client.cancelCall({ key: keyOf('c'), instance });
  expect(finishedOf(await outcome)).toMatchObject({ content: '[image image/png, 9 bytes]', blobs: [] });
  await ended;
  expect(logText()).toContain('its call was canceled meanwhile');
});
