import { expect, test } from 'vitest';
import { CallTurns } from '../../src/bridges/call-turns.ts';

const { signal } = new AbortController();

/** Whether a turn has come by now. */
async function hasCome({ come }: { readonly come: Promise<void> | undefined }): Promise<boolean> {
  if (come === undefined) return true;
  const notYet = new Promise<false>((resolve) => setImmediate(() => resolve(false)));
  return Promise.race([come.then(() => true), notYet]);
}

test('so many have their turn as may, the others in the order they came; lines do not wait for each other', async () => {
  const turns = new CallTurns();
  const [a, b, c, d] = [1, 2, 3, 4].map(() => turns.take('files', 2, signal));
  expect([a, b].map((turn) => turn?.come)).toEqual([undefined, undefined]);
  expect(turns.take('other', 1, signal).come).toBeUndefined();
  expect(await hasCome(c!)).toBe(false);
  b!.leave();
  expect([await hasCome(c!), await hasCome(d!)]).toEqual([true, false]);
  a!.leave();
  expect(await hasCome(d!)).toBe(true);
});

test('who gives up while it waits takes no turn, and gives none away', async () => {
  const turns = new CallTurns();
  const leaving = new AbortController();
  const first = turns.take('files', 1, signal);
  const gone = turns.take('files', 1, leaving.signal);
  const next = turns.take('files', 1, signal);
  leaving.abort(new Error('the run was canceled'));
  await expect(gone.come).rejects.toThrow('the run was canceled');
  gone.leave();
  expect(await hasCome(next)).toBe(false);
  first.leave();
  expect(await hasCome(next)).toBe(true);
  next.leave();
  expect(turns.take('files', 1, signal).come).toBeUndefined();
});

test('a server without a limit keeps nobody waiting', () => {
  const turns = new CallTurns();
  for (let calls = 0; calls < 100; calls += 1) expect(turns.take('files', 0, signal).come).toBeUndefined();
});
