import type { Effect, RunState } from '@stopgo/core';
import { expect, test, vi } from 'vitest';
import { CallTurns } from '../../src/bridges/call-turns.ts';
import { performCall } from '../../src/driver/calls/perform-call.ts';
import { driverWith } from './one-driver.ts';

const soon = () => new Promise((resolve) => setImmediate(resolve));

/** A run with a call of a server that takes one at a time; what becomes of it is `ended`, and on the record once `recorded` is called. */
function callOf(turns: CallTurns) {
  let ended = (): void => undefined;
  const execute = () =>
    new Promise<{ kind: 'finished'; content: string; isError: boolean; durationMs: number }>((resolve) => {
      ended = () => resolve({ kind: 'finished', content: 'good', isError: false, durationMs: 1 });
    });
  const { driver, asked, ports } = driverWith({ execute, alive: ['bridge'] });
  Object.assign(ports.tools, {
    turn: (_: string, server: string, signal: AbortSignal) => turns.take(server, 1, signal),
  });
  let recorded = (_: 'applied'): void => undefined;
  vi.spyOn(driver, 'submit').mockImplementation(() => new Promise((resolve) => (recorded = resolve)));
  Object.assign(driver, { runId: 'r', transcripts: { argumentsOf: () => Promise.resolve('{}') } });
  const call = { id: 'call', target: { kind: 'tool', server: 's' }, tool: 't', attempt: 0, repeatable: true };
  driver.state = {
    ...driver.state,
    run: { id: 'r', status: 'open', interrupts: {}, calls: { call } } as unknown as RunState,
  };
  const effect = { kind: 'call', id: 'call', attempt: 1, fenced: false } as Extract<Effect, { kind: 'call' }>;
  const over = performCall(driver, effect, new AbortController().signal);
  return { asked, over, ended: () => ended(), recorded: () => recorded('applied') };
}

test('the next call of a server waits for the answer to the one before, and not until that is on the record', async () => {
  const turns = new CallTurns();
  const one = callOf(turns);
  const next = callOf(turns);
  const third = callOf(turns);
  await soon();
  expect([one.asked, next.asked]).toEqual([['execute bridge'], []]);
  one.ended();
  await soon();
  expect([next.asked, third.asked]).toEqual([['execute bridge'], []]);
  // That it is on the record gives no second turn away.
  one.recorded();
  await one.over;
  await soon();
  expect(third.asked).toEqual([]);
  next.ended();
  await soon();
  expect(third.asked).toEqual(['execute bridge']);
});
