import { Waits } from '@stopgo/log';
import { views } from '@stopgo/proto';
import { expect, test } from 'vitest';
import { tellTurn } from '../../src/driver/calls/wait-for-turn.ts';
import type { RunHandle } from '../../src/driver/handle/run-handle.ts';
import { HandClock } from './one-driver.ts';

function waitingRun() {
  const clock = new HandClock();
  const waits = new Waits(() => clock.now());
  const run = { conversationId: 'c', runId: 'r', ports: { clock, waits } } as unknown as RunHandle;
  const stop = new AbortController();
  let come = (): void => undefined;
  const turn = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { clock, waits, stop, come, ended: tellTurn(run, 'files', turn, stop.signal) };
}

test('a run is told to wait for its turn after two seconds, until the turn comes', async () => {
  const { clock, waits, come, ended } = waitingRun();
  await clock.pass(1_999);
  expect(waits.told('c')).toEqual([]);
  await clock.pass(1);
  expect(waits.told('c')).toMatchObject([{ kind: views.WaitKind.TOOL_TURN, runId: 'r', name: 'files' }]);
  come();
  await ended;
  expect(waits.told('c')).toEqual([]);
});

test('a turn that comes at once is not told of, and nothing goes on waiting', async () => {
  const { clock, waits, come, ended } = waitingRun();
  come();
  await ended;
  expect(clock.sleeping).toBe(0);
  await clock.pass(5_000);
  expect(waits.told('c')).toEqual([]);
});

test('the end of the process ends the wait', async () => {
  const { clock, waits, stop, come, ended } = waitingRun();
  await clock.pass(2_000);
  stop.abort();
  expect(waits.told('c')).toEqual([]);
  come();
  await ended;
});
