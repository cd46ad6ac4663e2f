import { PassThrough } from 'node:stream';
import { createRedactor } from '@stopgo/runtime';
import { expect, test } from 'vitest';
import { lineCharactersMax } from '../src/services/bounds.ts';
import { MergedOutput } from '../src/services/launcher/merged-output.ts';

const now = () => new Date('2026-01-02T03:04:05.678Z');

function merged(format: 'text' | 'json', destination = new PassThrough()) {
  const redactor = createRedactor();
  redactor.registerSecret('hush-hush-hush');
  const output = new MergedOutput({ format, redactor, now });
  let written = '';
  return {
    output,
    destination,
    follow: (name: string) => {
      const source = new PassThrough();
      output.follow(name, source, destination);
      return source;
    },
    /** All that has been written when something is over. */
    read: async (over: Promise<unknown> = Promise.resolve()): Promise<string> => {
      void over.then(() => destination.end());
      for await (const chunk of destination) written += chunk;
      return written;
    },
  };
}

const ended = (source: PassThrough): Promise<unknown> => new Promise((resolve) => source.once('end', resolve));

test('lines stay whole whatever the pieces they come in, each with its name; a last one needs no end', async () => {
  const { follow, read } = merged('text');
  const [one, two] = [follow('one'), follow('two')];
  const [endOfOne, endOfTwo] = [ended(one), ended(two)];
  const word = Buffer.from('grün\nblau\n\nrest');
  // Also in the middle of a character.
  for (const byte of word.subarray(0, 4)) one.write(Buffer.from([byte]));
  two.end('between\n');
  await endOfTwo;
  one.end(word.subarray(4));
  await endOfOne;
  expect(await read()).toBe('[two] between\n[one] grün\n[one] blau\n[one] \n[one] rest\n');
});

test('no line shows a secret, and one without an end does not grow for ever', async () => {
  const { follow, read, destination } = merged('text', new PassThrough({ highWaterMark: 4 * lineCharactersMax }));
  destination.setMaxListeners(0);
  const source = follow('one');
  const end = ended(source);
  source.write('it is hush-hush-');
  source.write('hush, said twice: hush-hush-hush\n');
  source.end('x'.repeat(lineCharactersMax + 1));
  await end;
  const [first, long, rest] = (await read()).split('\n');
  expect(first).toBe('[one] it is [secret], said twice: [secret]');
  expect(long).toHaveLength('[one] '.length + lineCharactersMax);
  expect(rest).toBe('[one] x');
});

test('a burst waits for a slow reader and loses nothing', async () => {
  const { follow, read } = merged('text', new PassThrough({ highWaterMark: 64 }));
  const source = follow('one');
  const end = ended(source);
  const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);
  for (const line of lines) source.write(`${line}\n`);
  source.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(source.isPaused()).toBe(true);
  const text = read(end);
  expect(await text).toBe(lines.map((line) => `[one] ${line}\n`).join(''));
});

test('a reader that has gone does not stop those who write', async () => {
  const { follow, destination } = merged('text', new PassThrough({ highWaterMark: 8 }));
  destination.on('error', () => undefined);
  const source = follow('one');
  const end = ended(source);
  source.write('some line that fills it\n');
  await new Promise((resolve) => setImmediate(resolve));
  destination.destroy();
  for (let index = 0; index < 100; index += 1) source.write(`${'more '.repeat(1_000)}\n`);
  source.end();
  await end;
});

test('json stays one object a line, with a field instead of a prefix', async () => {
  const { follow, read } = merged('json');
  const source = follow('store-1');
  const end = ended(source);
  source.end('{"level":"info","msg":"a"}\n{}\nplain "text"\n{not json}\n');
  await end;
  const lines = (await read())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  expect(lines).toEqual([
    { level: 'info', msg: 'a', service: 'store-1' },
    { service: 'store-1' },
    { level: 'info', time: now().toISOString(), msg: 'plain "text"', service: 'store-1' },
    { level: 'info', time: now().toISOString(), msg: '{not json}', service: 'store-1' },
  ]);
});
