import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createHttpClient } from '../src/client/index.ts';

let program: ChildProcess | undefined;
afterEach(() => program?.kill('SIGKILL'));

test('an agent that is told to end answers what it works on, takes nothing new, and ends with 0', async () => {
  const source = join(import.meta.dirname, 'slow-agent.process.ts');
  const started = spawn(process.execPath, ['--import', 'tsx', '--conditions=stopgo-source', source]);
  program = started;
  let printed = '';
  for (const stream of [started.stdout, started.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const says = (pattern: RegExp) => expect.poll(() => printed, { timeout: 30_000 }).toMatch(pattern);
  const ended = once(started, 'close');
  await says(/listening on http:\S+\n/);
  const [, url = ''] = /listening on (http:\S+)\n/.exec(printed) ?? [];
  const answer = createHttpClient().sendMessage(url, { text: 'slowly' });
  await says(/working/);
  started.kill('SIGTERM');
  await says(/stopping/);
  await expect(createHttpClient().sendMessage(url, { text: 'more' })).rejects.toThrow();
  started.stdin.end();
  expect(await answer).toMatchObject({ artifacts: [{ parts: [{ content: { value: 'slowly, slowly' } }] }] });
  expect(await ended).toEqual([0, null]);
});
