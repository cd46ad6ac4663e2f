import type { Effect, RunState } from '@stopgo/core';
import { views } from '@stopgo/proto';
import { describe, expect, test, vi } from 'vitest';
import { CallTurns } from '../../src/bridges/call-turns.ts';
import { performCall } from '../../src/driver/calls/perform-call.ts';
import type { Taken } from '../../src/driver/handle/queue.ts';
import type { ExecuteOutcome } from '../../src/tool-port.ts';
import { driverWith } from './one-driver.ts';

const soon = () => new Promise((resolve) => setImmediate(resolve));

const good: ExecuteOutcome = { kind: 'finished', content: 'good', isError: false, durationMs: 1 };

/**
 * A run with a call of a server that takes one at a time; what becomes of it is `outcome` once `ended` is called, and on the record once
 * `recorded` is.
 */
function callOf(turns: CallTurns, dead: ReadonlySet<string> = new Set(), outcome = good, fenced = false) {
  let ended = (): void => undefined;
  const execute = () => new Promise<ExecuteOutcome>((resolve) => (ended = () => resolve(outcome)));
  const { driver, asked, ports, clock } = driverWith({ execute, alive: ['bridge'], dead });
  Object.assign(ports.tools, {
    turn: (_: string, server: string, signal: AbortSignal) => turns.take('bridge', server, 1, signal),
  });
  let recorded = (_: Taken): void => undefined;
  vi.spyOn(driver, 'submit').mockImplementation(() => new Promise((resolve) => (recorded = resolve)));
  Object.assign(driver, { runId: 'r', transcripts: { argumentsOf: () => Promise.resolve('{}') } });
  const call = { id: 'call', target: { kind: 'tool', server: 's' }, tool: 't', attempt: 0, repeatable: true };
  driver.state = {
    ...driver.state,
    run: { id: 'r', status: 'open', interrupts: {}, calls: { call } } as unknown as RunState,
  };
  const effect = { kind: 'call', id: 'call', attempt: 1, fenced } as Extract<Effect, { kind: 'call' }>;
  const over = performCall(driver, effect, new AbortController().signal);
  return {
    asked,
    over,
    clock,
    waits: ports.waits,
    ended: () => ended(),
    recorded: (taken: Taken = 'applied') => recorded(taken),
  };
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
  turns.take('bridge', 's', 1, new AbortController().signal).leave(true);
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

describe('of how long the calls of a server take', () => {
  /** Whether one is begun behind another, as it is where calls were short. */
  const hasSeenShort = (turns: CallTurns): boolean => {
    const { signal } = new AbortController();
    turns.take('bridge', 's', 1, signal);
    return turns.take('bridge', 's', 1, signal).come === undefined;
  };
  const unknown: ExecuteOutcome = { kind: 'unknown', message: 'it did not answer' };
  const refused: ExecuteOutcome = { kind: 'not_run', message: 'text is missing' };

  test.each<[string, ExecuteOutcome, boolean]>([
    ['that answered says something', good, true],
    ['that may have run says something', unknown, true],
    ['that was not sent to it says nothing', refused, false],
  ])('a call %s', async (_, outcome, says) => {
    const turns = new CallTurns(() => 0, 1);
    const call = callOf(turns, undefined, outcome);
    await soon();
    call.ended();
    await soon();
    call.recorded();
    await call.over;
    expect(hasSeenShort(turns)).toBe(says);
  });

  test('a call whose start is not taken says nothing', async () => {
    const turns = new CallTurns(() => 0, 1);
    const call = callOf(turns, undefined, good, true);
    await soon();
    call.recorded('fenced');
    await call.over;
    expect([call.asked, hasSeenShort(turns)]).toEqual([[], false]);
  });

  test('a call whose bridge died while it waited says nothing by that', async () => {
    const dead = new Set<string>();
    const turns = new CallTurns(() => 0, 1);
    const before = turns.take('bridge', 's', 1, new AbortController().signal);
    const [next, third] = [callOf(turns, dead), callOf(turns)];
    dead.add('bridge');
    before.leave(false);
    await soon();
    expect([next.asked, third.asked]).toEqual([[], ['execute bridge']]);
    third.ended();
    await soon();
    expect(next.asked).toEqual(['execute bridge']);
  });
});
