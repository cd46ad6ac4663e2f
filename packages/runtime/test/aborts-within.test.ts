import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { abortsWithin } from '@stopgo/runtime';
import { expect, test } from 'vitest';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Nothing but the wait knows of the signal. */
function waits(ms: number, ...others: AbortSignal[]): Promise<unknown> {
  const signal = abortsWithin(ms, ...others);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));
}

test('a limit holds, however often the garbage is collected before it', async () => {
  const ends = Array.from({ length: 10 }, () => waits(200, new AbortController().signal));
  for (let times = 0; times < 3; times += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collectGarbage();
  }
  for (const reason of await Promise.all(ends)) expect(reason).toMatchObject({ name: 'TimeoutError' });
});

test('what aborts before the limit is what it aborts with', async () => {
  const other = new AbortController();
  const end = waits(60_000, other.signal);
  other.abort(new Error('given up'));
  expect(await end).toMatchObject({ message: 'given up' });
});
