import { expect, test } from 'vitest';
import { messageCharactersMax, ServerSentParser, type StreamMessage } from '../src/server-sent.ts';

const all = [
  ': a comment\nretry: 1000\n\n',
  'id: 3\n\n',
  'id:4\nevent: asked\ndata: one\ndata:  two\ndata\n\n',
  'data: without a place\n\n',
  'id: a\0b\ndata: x:y\n\n',
  'event: nothing\n\n',
].join('');
const messages: StreamMessage[] = [
  { id: '3', name: 'message', data: undefined },
  { id: '4', name: 'asked', data: 'one\n two\n' },
  { id: undefined, name: 'message', data: 'without a place' },
  { id: undefined, name: 'message', data: 'x:y' },
];

const read = (pieces: readonly string[]) => {
  const parser = new ServerSentParser();
  return pieces.flatMap((piece) => parser.feed(piece));
};

test.each(['\n', '\r', '\r\n'])('messages are the same with line breaks %j, however they are cut', (lineBreak) => {
  const text = all.replaceAll('\n', lineBreak);
  expect(read([text])).toEqual(messages);
  expect(read([...text])).toEqual(messages);
  for (let cut = 0; cut < text.length; cut += 1) expect(read([text.slice(0, cut), text.slice(cut)])).toEqual(messages);
});

test('what has not ended is no message', () => {
  expect(read(['id: 1\ndata: x\n'])).toEqual([]);
});

test('a message without an end is given up', () => {
  const piece = 'x'.repeat(messageCharactersMax / 2);
  expect(() => read(['data: ', piece, piece])).toThrow('more than 16777216 characters');
  expect(() => read([`data: ${piece}\n`, `data: ${piece}\n`])).toThrow(RangeError);
  expect(read([`data: ${piece}\n\n`, `data: ${piece}\n\n`])).toHaveLength(2);
});
