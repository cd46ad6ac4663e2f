import { expect, test } from 'vitest';
import { resultText } from '../src/content.ts';

const plain = (text: string) => text;

test('texts are joined, other blocks are named in one line each', () => {
  const { text, cut } = resultText(
    {
      content: [
        { type: 'text', text: 'one' },
        { type: 'image', data: Buffer.alloc(1234).toString('base64'), mimeType: 'image/png' },
        { type: 'audio', data: Buffer.alloc(5).toString('base64'), mimeType: 'audio/\nwav' },
        { type: 'resource_link', uri: 'file:///a\u202e.txt', name: 'a' },
        { type: 'resource', resource: { uri: 'file:///b', text: 'inside b' } },
        { type: 'resource', resource: { uri: 'file:///c', blob: Buffer.alloc(7).toString('base64'), mimeType: 'x/y' } },
        { type: 'text', text: 'two' },
      ],
      structuredContent: { ignored: true },
    },
    plain,
  );
  expect(text.split('\n')).toEqual([
    'one',
    '[image image/png, 1234 bytes]',
    '[audio audio/\\nwav, 5 bytes]',
    '[resource link a file:///a\\u{202e}.txt]',
    'inside b',
    '[resource file:///c x/y, 7 bytes]',
    'two',
  ]);
  expect(cut).toBeUndefined();
});

test('structured content stands in for text that is missing', () => {
  expect(resultText({ content: [], structuredContent: { a: [1] } }, plain).text).toBe('{"a":[1]}');
  expect(resultText({ content: [] }, plain).text).toBe('');
});

test('text is cleaned before it is cut, so that the end of a secret cannot stay', () => {
  const secret = 'secret-token';
  const { text, cut } = resultText(
    { content: [{ type: 'text', text: `${'x'.repeat(256 * 1024 - 100)}${secret}${'y'.repeat(500)}` }] },
    (whole) => whole.replaceAll(secret, ''),
  );
  expect(text).not.toContain('secret');
  expect(cut?.fullBytes).toBe(256 * 1024 + 400);
});

test('a token in the name of a block is hidden before the name is cut', () => {
  const name = `${'x'.repeat(190)}secret-token`;
  const uri = `file:///${name.slice(8)}`;
  const result = {
    content: [
      { type: 'resource_link', name, uri },
      { type: 'image', data: '', mimeType: name },
      { type: 'resource', resource: { uri, blob: '', mimeType: name } },
    ],
  } as const;
  const { text } = resultText({ content: [...result.content] }, (whole) => whole.replaceAll('secret-token', '[x]'));
  expect(text.match(/x\[x\]/gu)).toHaveLength(5);
  expect(text).not.toContain('secret');
});

test('half a character becomes the replacement character', () => {
  expect(resultText({ content: [{ type: 'text', text: 'a\ud800b' }] }, plain).text).toBe('a\ufffdb');
});

test('a structured result that cannot be written out is named: the call ran', () => {
  // As nesting does that is too deep, but how deep that is differs between versions of Node.
  const tooDeep = () => {
    throw new RangeError('Maximum call stack size exceeded');
  };
  const deep = { toJSON: tooDeep };
  const result = { content: [], structuredContent: { deep } };
  expect(resultText(result, (text) => text).text).toBe('[structured result, nested too deeply]');
});
