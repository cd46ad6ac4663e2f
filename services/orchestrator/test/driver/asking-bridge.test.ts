import type { Effect, RunState } from '@stopgo/core';
import { expect, test, vi } from 'vitest';
import { performCall } from '../../src/driver/calls/perform-call.ts';
import type { ExecuteOutcome } from '../../src/tool-port.ts';
import { driverWith } from './one-driver.ts';

const done: ExecuteOutcome = { kind: 'finished', content: 'good', isError: false, durationMs: 1 };
const at = (bridge: string, attempt = 1) => ({ callId: 'call', questionId: 'q', attempt, bridge });

/** Where a driver that takes a run over sends a call that is safe to repeat; `other` is the bridge whose turn it is. */
async function sentTo(run: object, dead: readonly string[] = []): Promise<readonly string[]> {
  const alive = ['other', 'first'];
  const { driver, asked } = driverWith({ execute: () => Promise.resolve(done), alive, dead: new Set(dead) });
  vi.spyOn(driver, 'submit').mockResolvedValue('applied');
  Object.assign(driver, { runId: 'r', transcripts: { argumentsOf: () => Promise.resolve('{}') } });
  const call = {
    id: 'call',
    target: { kind: 'tool', server: 's' },
    tool: 't',
    pin: 'p',
    digest: 'd',
    attempt: 0,
    repeatable: true,
  };
  const open = { id: 'r', status: 'open', interrupts: {}, calls: { call }, ...run } as unknown as RunState;
  driver.state = { ...driver.state, run: open };
  const effect = { kind: 'call', id: 'call', attempt: 1, fenced: false } as unknown as Extract<
    Effect,
    { kind: 'call' }
  >;
  await performCall(driver, effect, new AbortController().signal);
  return asked;
}

test('a call that waits for people goes on at the bridge where it waits', async () => {
  const waits = { interrupts: { i: { id: 'i', callId: 'call', kind: 'input', prompt: '', server: at('first') } } };
  expect(await sentTo(waits)).toEqual(['execute first']);
  // Somebody has answered, and the one who was about to hand that over is gone.
  const answered = { ...at('first'), how: 'accept', by: 'ada', at: 1, revision: 7 };
  expect(await sentTo({ settledInputs: { i: answered } })).toEqual(['execute first']);
});

test('any other call, and one whose bridge is dead, goes to whichever bridge is there', async () => {
  expect(await sentTo({})).toEqual(['execute other']);
  const answered = { ...at('first'), how: 'accept', by: 'ada', at: 1, revision: 7 };
  expect(await sentTo({ settledInputs: { i: answered } }, ['first'])).toEqual(['execute other']);
  expect(await sentTo({ settledInputs: { i: { ...answered, attempt: 2 } } })).toEqual(['execute other']);
  expect(await sentTo({ settledInputs: { i: { ...answered, callId: 'another' } } })).toEqual(['execute other']);
});
