import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { nodeArguments } from '../../tests/node-arguments.ts';

// The program as a launcher sees it: one line on stdout, then requests, then an end that needs no help.

const MAIN = new URL('../src/main.ts', import.meta.url).pathname;

function start(...flags: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [...nodeArguments(MAIN), ...flags]);
}

async function addressOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  const [line] = await once(createInterface(child.stdout), 'line');
  const match = /^offline model listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(String(line));
  expect(match, String(line)).not.toBeNull();
  return match?.[1] ?? '';
}

test('it says where it listens, and ends cleanly on SIGTERM even while an answer hangs', async () => {
  const child = start('--control');
  const url = await addressOf(child);
  await fetch(`${url}/__script`, { method: 'POST', body: JSON.stringify({ hang: true }) });
  const hanging = fetch(`${url}/v1beta/models/m:generateContent?key=k`, {
    method: 'POST',
    body: JSON.stringify({ contents: [{ parts: [{ text: 'hi' }] }] }),
  });
  const answered = expect(hanging).rejects.toThrow();
  await expect
    .poll(async () => (await (await fetch(`${url}/__requests`)).text()).includes('generateContent'))
    .toBe(true);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  await answered;
});

test('with --exit-with-stdin it ends with the pipe of its launcher', async () => {
  const child = start('--exit-with-stdin');
  await addressOf(child);
  child.stdin.destroy();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test.each([
  [['--port', '99999999'], '--port'],
  [['--nonsense'], 'nonsense'],
])('%s is refused', async (flags, named) => {
  const child = start(...flags);
  let complaint = '';
  child.stderr.on('data', (data) => {
    complaint += data;
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(complaint).toContain(named);
});
