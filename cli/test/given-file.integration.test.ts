import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blobBytesMax } from '@stopgo/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askInput } from '../src/chat/decisions.ts';
import { givenFile } from '../src/decide/given-file.ts';
import { inputLines } from '../src/decide/inputs.ts';

let folder: string;
const at = (name: string) => join(folder, name);
const base64 = Buffer.from('item,price').toString('base64');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-given-'));
  for (const name of ['a.csv', 'a.CSV', 'a.pdf', 'a.unknown', 'plain']) writeFileSync(at(name), 'item,price');
  writeFileSync(at('empty.txt'), '');
  writeFileSync(at('large.txt'), '');
  truncateSync(at('large.txt'), blobBytesMax + 1);
  mkdirSync(at('folder'));
  execFileSync('mkfifo', [at('pipe')]);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['a.csv', 'text/csv'],
  ['a.CSV', 'text/csv'],
  ['a.pdf', 'application/pdf'],
  ['a.unknown', undefined],
  ['plain', undefined],
])('a file is given with its name alone, and what its ending says it is: %s', async (name, type) => {
  expect(await givenFile(at(name))).toEqual({ name, ...(type === undefined ? {} : { media_type: type }), base64 });
});

test('what somebody says that a file is counts for more than its ending', async () => {
  expect(await givenFile(at('a.csv'), 'text/plain')).toMatchObject({ media_type: 'text/plain' });
  await expect(givenFile(at('a.csv'), 'csv')).rejects.toThrow('--media-type takes a type such as text/csv, not csv');
});

test.each([
  ['none.txt', 'cannot be read: ENOENT'],
  ['folder', 'is no file'],
  ['pipe', 'is no file'],
  ['empty.txt', 'is empty'],
  ['large.txt', `has ${blobBytesMax + 1} bytes; at most ${blobBytesMax} can be given`],
])('%s is not given, and it is said why', async (name, problem) => {
  await expect(givenFile(at(name))).rejects.toThrow(problem);
});

describe('in a chat', () => {
  const input = { id: 'i1', conversation_id: 'c1', agent: 'reader', tool: 't', message: 'Which?', mode: 'file' };
  const answered = async (isTerminal: boolean, ...said: string[]) => {
    const printed: string[] = [];
    const lines = { isSeen: true, isTerminal, nextFromNow: async () => said.shift() };
    const print = (line: string) => void printed.push(line);
    const decision = await askInput(input, lines as never, print, (words) => words);
    return { decision, printed };
  };

  test('a file is given by its path, once that names one', async () => {
    const { decision, printed } = await answered(true, 'a.csv', `file ${at('none.txt')}`, `file ${at('a.csv')}`);
    const file = { name: 'a.csv', media_type: 'text/csv', base64 };
    expect(decision).toEqual({ path: '/conversations/c1/inputs/i1', body: { action: 'accept', file } });
    expect(printed.at(-1)).toContain('ENOENT');
    expect(printed).toContain('    a file is asked for');
  });

  test('a path alone, which may be meant for something else, gives no file; a no is a no', async () => {
    await expect(answered(false, at('a.csv'))).rejects.toThrow('is none of decline, cancel');
    expect((await answered(false, 'decline')).decision?.body).toEqual({ action: 'decline' });
    expect((await answered(true, '')).decision).toBeUndefined();
  });

  test('who does not see the question is told the command that gives one', async () => {
    const lines = { isSeen: false } as never;
    const asking = askInput(
      input,
      lines,
      () => undefined,
      (words) => `stopgo ${words}`,
    );
    await expect(asking).rejects.toThrow('stopgo answer c1 --input i1 --file PATH');
  });
});

test('of a file that is asked for, no values are shown', () => {
  const input = { id: 'i', conversation_id: 'c', agent: 'reader', tool: 't', message: 'Which?', mode: 'file' };
  expect(inputLines(input).at(-1)).toBe('    a file is asked for');
});
