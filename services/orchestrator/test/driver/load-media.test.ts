import { type BlobRef, dataLoss, notFound, type PromptMessage, textBytesMax } from '@stopgo/core';
import { expect, test } from 'vitest';
import { requestBlobBytesMax, requestBlobsMax } from '../../src/bounds.ts';
import { Room } from '../../src/driver/handle/room.ts';
import { loadMedia } from '../../src/driver/model/load-media.ts';
import type { ModelMessage } from '../../src/models/port.ts';
import { driverWith } from './one-driver.ts';

const random = () => 0.5;
const never = new AbortController().signal;
const blob = (digest: string, size = 1, mediaType = 'image/png'): BlobRef => ({ digest, mediaType, size, name: '' });
const isPicture = ({ mediaType }: BlobRef): boolean => mediaType === 'image/png';
const result = (...blobs: readonly BlobRef[]): PromptMessage => ({
  role: 'tool',
  results: [{ callId: 'c', providerCallId: '', name: 'look', argumentsJson: '{}', content: '', isError: false, blobs }],
});

async function loaded(
  messages: readonly PromptMessage[],
  read = async (_: string, digest: string) => Buffer.from(digest),
) {
  const asked: string[] = [];
  const blobs = {
    read: (conversation: string, digest: string) => {
      asked.push(digest);
      return read(conversation, digest);
    },
  };
  const room = new Room(100 * requestBlobBytesMax);
  const { clock } = driverWith({});
  const asker = { takes: isPicture, signal: never, begin: () => ({ tries: () => undefined, end: () => undefined }) };
  const told = await loadMedia({ blobs, clock, random, blobRoom: room }, 'conversation', messages, asker);
  const media = told.messages
    .flatMap((one) => (one.role === 'tool' ? one.results : []))
    .flatMap((one) => one.media ?? []);
  return { told, asked, media: media.map(({ bytes, leftOut }) => bytes?.toString() ?? leftOut) };
}

const tooMany = 'only the latest media of a conversation are shown';

test('the latest blobs are loaded, as many and as large as a request may have, and no more', async () => {
  const many = Array.from({ length: requestBlobsMax + 2 }, (_, index) => result(blob(`d${index}`)));
  const { asked, media } = await loaded(many);
  expect(asked).toHaveLength(requestBlobsMax);
  expect(media.slice(0, 3)).toEqual([tooMany, tooMany, String(Buffer.from('d2'))]);
  const large = await loaded([result(blob('a', requestBlobBytesMax)), result(blob('b', 2))]);
  expect(large).toMatchObject({ asked: ['b'], media: [tooMany, String(Buffer.from('b'))] });
});

test('what the model cannot be given is not read, takes no place, and is told as that', async () => {
  const zip = blob('zip', requestBlobBytesMax, 'application/zip');
  const { asked, media } = await loaded([result(blob('a')), result(zip, blob('b')), result(zip)]);
  expect(asked).toEqual(['b', 'a']);
  const notTaken = 'this model cannot be given it';
  expect(media).toEqual(['a', notTaken, 'b', notTaken]);
});

test('what comes again is read, shown and counted once: with the latest result that has it', async () => {
  const same = blob('same', requestBlobBytesMax - 1);
  const repeats = Array.from({ length: requestBlobsMax + 2 }, () => result(same, same));
  const { asked, media } = await loaded([result(blob('older')), result(blob('other')), ...repeats]);
  expect(asked).toEqual(['same', 'other']);
  const again = media.slice(2, -1);
  expect(new Set(again)).toEqual(new Set(['it comes again later']));
  expect([media[0], media[1], media.at(-1)]).toEqual([tooMany, 'other', 'same']);
});

test.each([
  ['is lost', notFound('gone')],
  ['is damaged', dataLoss('damaged')],
  ['came in part', new Error('3 of 4 bytes came')],
])('a blob that %s is told of, and the model is asked all the same', async (_, error) => {
  const { asked, media } = await loaded([result(blob('a'), blob('b'))], async (__, digest) =>
    digest === 'a' ? Buffer.from('a') : Promise.reject(error),
  );
  expect(asked).toEqual(['b', 'a']);
  expect(media).toEqual(['a', 'it cannot be read']);
});

test('requests wait for room in their order, and whoever gives up leaves his place', async () => {
  const room = new Room(10);
  const order: string[] = [];
  const first = await room.take(8, never);
  const leaving = new AbortController();
  const left = room.take(9, leaving.signal).catch(() => order.push('left'));
  const second = room.take(4, never).then((release) => {
    order.push('second');
    return release;
  });
  const third = room.take(2, never).then((release) => {
    order.push('third');
    return release;
  });
  leaving.abort(new Error('given up'));
  await left;
  expect(order).toEqual(['left']);
  first();
  first();
  await Promise.all([second, third]);
  expect(order).toEqual(['left', 'second', 'third']);
  const alone = room.take(1_000, never);
  (await second)();
  (await third)();
  (await alone)();
});

const text = (digest: string, size = 1, mediaType = 'text/csv') => blob(digest, size, mediaType);
const contents = ({ messages }: { readonly messages: readonly ModelMessage[] }) =>
  messages.flatMap((one) => (one.role === 'tool' ? one.results.map(({ content }) => content) : []));

test('a file of text stands in the text of its result, with what nobody sees in it written out', async () => {
  const { told, media } = await loaded([result(text('a'), blob('b'))], async (_, digest) =>
    Buffer.from(digest === 'a' ? 'key,\u202e€2.99' : 'b'),
  );
  const [content] = contents(told);
  expect(content).toContain('[text/csv, 1 bytes:]');
  expect(content).toContain('key,\\u{202e}€2.99');
  expect(media).toEqual(['b']);
});

test.each(['application/json', 'application/ld+json', 'image/svg+xml', 'text/markdown', 'application/x-ndjson'])(
  '%s is text',
  async (mediaType) => {
    const { told } = await loaded([result(text('words', 5, mediaType))]);
    expect(contents(told)[0]).toContain('words');
  },
);

test('files of text are told, the latest first, as far as one result goes; the others in words', async () => {
  const half = textBytesMax / 2;
  const large = result(text('a', textBytesMax + 1));
  const { asked, media } = await loaded([large, result(text('b', half)), result(text('c', half), text('d', half))]);
  expect(asked).toEqual(['d', 'c']);
  expect(media).toEqual([`a text has at most ${textBytesMax} bytes`, tooMany]);
});

test('a file of text that is no UTF-8, or lost, is told of in words', async () => {
  const latin1 = await loaded([result(text('a'))], async () => Buffer.from([0x6b, 0xe9]));
  expect(latin1.media).toEqual(['it is no text in UTF-8']);
  const lost = await loaded([result(text('a'))], () => Promise.reject(notFound('gone')));
  expect([contents(lost.told), lost.media]).toEqual([[''], ['it cannot be read']]);
});
