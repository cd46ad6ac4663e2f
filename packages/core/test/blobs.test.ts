import { type BlobRef, blobName, blobsPerResultMax, structuredBytesMax } from '@stopgo/core';
import { expect, test } from 'vitest';
import { finished } from '../src/calls/finished.ts';
import { blobNameCharactersMax } from '../src/text/bounds.ts';

const place = { runId: 'run', stepId: 'root', callId: 'root#1.0', attempt: 1 };
const blob: BlobRef = { digest: 'ab'.repeat(32), mediaType: 'image/png', size: 7, name: '' };
const outcome = {
  type: 'callFinished',
  ...place,
  tool: 'look',
  content: '[image]',
  isError: false,
  durationMs: 1,
} as const;

test('the fact of a call names its blobs; one that comes late names none, as nobody keeps them any more', () => {
  const more = { blobs: [blob], structuredJson: '{"a":1}' };
  expect(finished(place, { ...outcome, ...more }, '').value).toMatchObject({
    structuredJson: '{"a":1}',
    blobs: [{ digest: blob.digest }],
  });
  expect(finished(place, { ...outcome, ...more }, '', true).value).toMatchObject({ structuredJson: '', blobs: [] });
});

test('what is beside the text of a result is bounded', () => {
  const name = 'n'.repeat(blobNameCharactersMax + 1);
  const blobs = Array.from({ length: blobsPerResultMax + 1 }, () => ({ ...blob, name }));
  const structuredJson = `{"a":"${'x'.repeat(structuredBytesMax)}"}`;
  const { value } = finished(place, { ...outcome, blobs, structuredJson }, '');
  if (!('blobs' in value)) throw new Error('another fact');
  expect(value.blobs).toHaveLength(blobsPerResultMax);
  expect(value.blobs[0]?.name).toHaveLength(blobNameCharactersMax);
  expect(value.structuredJson).toBe('');
});

test('a name is never cut in the middle of a character', () => {
  const long = `a${'\u{1f600}'.repeat(blobNameCharactersMax)}`;
  const cut = `a${'\u{1f600}'.repeat(blobNameCharactersMax - 1)}`;
  expect(blobName(long)).toBe(cut);
  expect(blobName(cut)).toBe(cut);
  const { value } = finished(place, { ...outcome, blobs: [{ ...blob, name: long }] }, '');
  expect('blobs' in value && value.blobs[0]?.name).toBe(cut);
});
