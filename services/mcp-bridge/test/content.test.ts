import { expect, test } from 'vitest';
import { resultText } from '../src/results/content.ts';

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

test('structured content that repeats the bytes of a block, or holds others, tells their size and no base64', () => {
  const data = Buffer.alloc(3_000, 7).toString('base64');
  const other = Buffer.alloc(2_000, 9).toString('base64');
  const image = { type: 'image' as const, data, mimeType: 'image/png' };
  const structuredContent = {
    content: [image],
    more: { mimeType: 'audio/wav', data: other },
    said: data,
    words: { data: 'short' },
  };
  const told = { ...structuredContent, content: [{ ...image, data: '[3000 bytes]' }], said: '[3000 bytes]' };
  const { text } = resultText({ content: [image], structuredContent }, plain);
  const json = JSON.stringify({ ...told, more: { mimeType: 'audio/wav', data: '[2000 bytes]' } });
  expect(text).toBe(`[image image/png, 3000 bytes]\n${json}`);
  const beside = resultText({ content: [{ type: 'text', text: 'a picture' }, image], structuredContent }, plain);
  expect(beside.structuredJson).toBe(json);
});

test.each<[string, string, object, boolean]>([
  ['the same', '{"a":[1,{"b":2}]}', { a: [1, { b: 2 }] }, false],
  ['the same in another order and layout', '\n{ "b": "\\u0061",\n  "a": 1.0 }\n', { a: 1, b: 'a' }, false],
  ['another value', '{"a":1}', { a: 2 }, true],
  ['less', '{"a":1}', { a: 1, b: 2 }, true],
  ['words', 'done', { a: 1 }, true],
  ['no JSON', '{"a":1}}', { a: 1 }, true],
])('the structured part is kept beside a text unless the text is that: %s', (_, text, structuredContent, isKept) => {
  const { structuredJson } = resultText({ content: [{ type: 'text', text }], structuredContent }, plain);
  expect(structuredJson).toBe(isKept ? JSON.stringify(structuredContent) : undefined);
});

test('the structured part is kept beside a text that is that and is cut', () => {
  const structuredContent = { a: 1 };
  const text = `{"a":1${' '.repeat(256 * 1024)}}`;
  const { cut, structuredJson } = resultText({ content: [{ type: 'text', text }], structuredContent }, plain);
  expect([cut === undefined, structuredJson]).toEqual([false, '{"a":1}']);
});

const bytes = Buffer.alloc(3_001, 'a\u00ff?\u00fe>', 'latin1');
const plainForm = bytes.toString('base64');
/** As Python's `encodebytes` writes it. */
const lines = plainForm.replace(/.{1,76}/g, '$&\n');
const spellings: readonly [string, string][] = [
  ['in lines', lines],
  ['in lines that end as in mail', lines.replaceAll('\n', '\r\n')],
  ['without padding', plainForm.replace(/=+$/, '')],
  ['in the alphabet of addresses', bytes.toString('base64url')],
];

test.each(spellings)('base64 %s is bytes too, in a block, where it repeats one, and beside a type', (_, data) => {
  const image = { type: 'image' as const, mimeType: 'image/png', data };
  const told = (content: (typeof image)[], structuredContent: object) =>
    resultText({ content, structuredContent: { ...structuredContent } }, plain).text;
  const line = '[image image/png, 3001 bytes]';
  expect(told([image], { said: data })).toBe(`${line}\n{"said":"[3001 bytes]"}`);
  expect(told([image], { said: plainForm })).toBe(`${line}\n{"said":"[3001 bytes]"}`);
  expect(told([{ ...image, data: plainForm }], { said: data })).toBe(`${line}\n{"said":"[3001 bytes]"}`);
  expect(told([], { mimeType: 'image/png', data })).toBe('{"mimeType":"image/png","data":"[3001 bytes]"}');
});

test('what a block holds as its bytes is not repeated, though it is no base64', () => {
  const image = { type: 'image' as const, mimeType: 'image/png', data: `data:image/png;base64,${plainForm}` };
  const { text } = resultText({ content: [image], structuredContent: { said: image.data } }, plain);
  expect(text).toMatch(/^\[image image\/png, \d+ bytes\]\n\{"said":"\[\d+ bytes\]"\}$/);
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

test.each<[string, unknown]>([
  ['a page', { mimeType: 'text/html', data: '<p>words</p>'.repeat(200) }],
  ['a page of letters only', { mimeType: 'text/plain', data: 'word'.repeat(400) }],
  ['a document of another kind', { mimeType: 'application/ld+json', data: 'AAAA'.repeat(400) }],
  ['a drawing in words', { mimeType: 'image/svg+xml', blob: 'AAAA'.repeat(400) }],
  ['four thousand and one letters, which no bytes are', { mimeType: 'image/png', data: 'a'.repeat(4_001) }],
  ['words where bytes are said to be', { mimeType: 'image/png', data: 'not found: try another name. '.repeat(50) }],
])('%s in a structured result stays as it is', (_, page) => {
  expect(resultText({ content: [], structuredContent: { page } }, plain).text).toBe(JSON.stringify({ page }));
});

test('a word that a block holds as its bytes stays a word', () => {
  const image = { type: 'image' as const, mimeType: 'image/png', data: 'done' };
  const { text } = resultText({ content: [image], structuredContent: { status: 'done' } }, plain);
  expect(text).toContain('{"status":"done"}');
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
