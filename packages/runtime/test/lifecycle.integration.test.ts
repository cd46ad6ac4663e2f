import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { nodeArguments } from '../../../tests/node-arguments.ts';
import { stopAll } from '../src/index.ts';

const fixture = fileURLToPath(new URL('./fixtures/service.mjs', import.meta.url));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts the fixture as a real process; `said` resolves once its output holds the words. */
function start(behaviour: string) {
  const child = spawn(process.execPath, [...nodeArguments(fixture), behaviour], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let output = '';
  let listeners: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const listener of listeners) listener();
    });
  }
  const said = (words: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => (output.includes(words) ? resolve() : undefined);
      listeners = [...listeners, look];
      child.once('close', () => reject(new Error(`ended without saying ${words}: ${output}`)));
      look();
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, said, ended, output: () => output };
}

describe('a process', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('stops in order on %s and exits with 0', async (signal) => {
    const { child, said, ended, output } = start('ok');
    await said('ready');
    child.kill(signal);
    expect(await ended).toBe(0);
    expect(output()).toMatch(/Shutting down server\.\.\. \| signal=SIG.*stopped in order/s);
  });

  test('that was told to stop while it started stops once it has started', async () => {
    const { child, said, ended } = start('start-is-slow');
    await said('starting');
    child.kill('SIGTERM');
    await said('stopped in order');
    expect(await ended).toBe(0);
  });

  test('takes an echo of the signal for the same one', async () => {
    const { child, said, ended } = start('signal-echoes');
    await said('ready');
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  test('exits at once on a second signal', async () => {
    const { child, said, ended } = start('stop-hangs');
    await said('ready');
    child.kill('SIGTERM');
    await said('Shutting down');
    child.kill('SIGINT');
    expect(await ended).toBe(130);
  });

  test.each([
    ['stop-hangs-briefly', 'demo did not stop within 50 ms; giving up'],
    ['stop-fails', 'demo did not stop cleanly: a part did not stop'],
  ])('whose stop goes wrong (%s) exits with 1 and says why', async (behaviour, words) => {
    const { child, said, ended, output } = start(behaviour);
    await said('ready');
    child.kill('SIGTERM');
    expect(await ended).toBe(1);
    expect(output()).toContain(words);
  });

  test.each([
    ['start-fails', /^Failed to start demo: port 1 is in use\n$/],
    ['throws-later', /ERROR \| demo: nobody handled an error \(unhandledRejection\); exiting .*forgotten promise/],
  ])('that fails (%s) exits with 1 and says why', async (behaviour, words) => {
    const { ended, output } = start(behaviour);
    expect(await ended).toBe(1);
    expect(output()).toMatch(words);
  });

  test('goes on when a library leaves an error unhandled that is known to be harmless', async () => {
    const { child, said, ended } = start('library-throws-later');
    await said('WARN | demo: a library left an error unhandled; going on');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });

  test('goes on when nobody reads its output any more', async () => {
    const { child, said, ended } = start('ok');
    await said('ready');
    child.stdout.destroy();
    child.stderr.destroy();
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});

describe('stopAll', () => {
  test('stops everything, the last first, and tells all errors together', async () => {
    const stopped: string[] = [];
    const part = (name: string, failure?: string) => ({
      name,
      stop: async () => {
        stopped.push(name);
        if (failure !== undefined) throw new Error(failure);
      },
    });
    const parts = [part('store'), part('bridge', 'stuck'), part('gateway', 'busy')];
    await expect(stopAll(parts, 'services')).rejects.toThrow(
      /^errors stopping services: gateway: busy; bridge: stuck$/,
    );
    expect(stopped).toEqual(['gateway', 'bridge', 'store']);
  });
});
