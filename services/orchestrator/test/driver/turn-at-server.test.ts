import type { Effect, RunState } from '@stopgo/core';
import { views } from '@stopgo/proto';
import { expect, test, vi } from 'vitest';
import { CallTurns } from '../../src/bridges/call-turns.ts';
import { performCall } from '../../src/driver/calls/perform-call.ts';
import { driverWith } from './one-driver.ts';

const soon = () => new Promise((resolve) => setImmediate(resolve));

/** A run with a call of a server that takes one at a time; what becomes of it is `ended`, and on the record once `recorded` is called. */
function callOf(turns: CallTurns, dead: ReadonlySet<string> = new Set()) {
  let ended = (): void => undefined;
  const execute = () =>
    new Promise<{ kind: 'finished'; content: string; isError: boolean; durationMs: number }>((resolve) => {
      ended = () => resolve({ kind: 'finished', content: 'good', isError: false, durationMs: 1 });
    });
  const { driver, asked, ports, clock } = driverWith({ execute, alive: ['bridge'], dead });
  Object.assign(ports.tools, {
    turn: (_: string, server: string, signal: AbortSignal) => turns.take('bridge', server, 1, signal),
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
  return { asked, over, clock, waits: ports.waits, ended: () => ended(), recorded: () => recorded('applied') };
}

test('the next call of a server waits for the answer to the one before, and not until that is on the record', async () => {
  let now = 0;
  const turns = new CallTurns(() => now);
  const one = callOf(turns);
  const next = callOf(turns);
  const third = callOf(turns);
  await soon();
  expect([one.asked, next.asked]).toEqual([['execute bridge'], []]);
  // Its calls are long.
  now += 1_000;
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

test('where calls are short the next one is begun while the one before it runs, and is told to wait if that takes long', async () => {
  const turns = new CallTurns(() => 0, 1);
  turns.take('bridge', 's', 1, new AbortController().signal).leave();
  const one = callOf(turns);
  const next = callOf(turns);
  const third = callOf(turns);
  await soon();
  expect([one.asked, next.asked, third.asked]).toEqual([['execute bridge'], ['execute bridge'], []]);
  await next.clock.pass(1_999);
  expect(next.waits.told('c')).toEqual([]);
  await next.clock.pass(1);
  expect(next.waits.told('c')).toMatchObject([{ kind: views.WaitKind.TOOL_TURN, name: 's' }]);
  one.ended();
  await soon();
  expect(next.waits.told('c')).toEqual([]);
  expect(third.asked).toEqual(['execute bridge']);
});

test('a call whose bridge died while it waited does not wait behind itself when that bridge is chosen again', async () => {
  const dead = new Set<string>();
  const turns = new CallTurns(() => 0, 0);
  const one = callOf(turns);
  const next = callOf(turns, dead);
  await soon();
  dead.add('bridge');
  one.ended();
  await soon();
  expect(next.asked).toEqual(['execute bridge']);
});
