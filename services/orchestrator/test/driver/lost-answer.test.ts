import { type CallState, DomainError, type RunState } from '@stopgo/core';
import { expect, test } from 'vitest';
import { sendOnce, sendRepeatable } from '../../src/driver/calls/send-call.ts';
import { askFence } from '../../src/driver/questions/ask-fence.ts';
import type { ExecuteOutcome, ExecuteRequest, FenceOutcome } from '../../src/tool-port.ts';
import { driverWith } from './one-driver.ts';

const key = { conversationId: 'c', runId: 'r', callId: 'call', attempt: 1 };
const request: ExecuteRequest = {
  key,
  bridge: 'bridge',
  server: 'payments',
  tool: 'pay',
  argumentsJson: '{}',
  approvalId: 'a',
  digest: 'd',
  pin: 'p',
  sessionId: '',
};
const done: ExecuteOutcome = { kind: 'finished', content: 'paid', isError: false, durationMs: 1 };
const { signal } = new AbortController();
/** Far less than a request for a call is kept open. */
const pauseMs = 30_000;
/** Of the scripted bridge. */
const ttlMs = 900;

/** Gives one answer after the other; an error is one too. */
function oneAfterTheOther(...answers: readonly (FenceOutcome | Error)[]): () => Promise<FenceOutcome> {
  const left = [...answers];
  return () => {
    const next = left.shift();
    if (next === undefined) return Promise.reject(new Error('it was asked once too often'));
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  };
}

const silence = new DomainError('unavailable', 'no answer');

const running = { kind: 'running', questions: [], lapsed: [] } as const;

test('an answer that got lost on a connection that lasts is asked for, and the call is sent once', async () => {
  const fence = oneAfterTheOther(running, silence, running, { kind: 'outcome', outcome: done });
  const { clock, asked, driver } = driverWith({ fence });
  const outcome = sendOnce(driver, request, signal);
  await clock.pass(pauseMs - 1);
  expect(asked).toEqual(['execute bridge']);
  await clock.pass(1);
  for (let question = 2; question <= 4; question += 1) await clock.pass(pauseMs);
  expect(await outcome).toEqual(done);
  expect(asked).toEqual(['execute bridge', ...Array(4).fill('fence bridge')]);
});

test('a request that never arrived is fenced, so that another attempt may be made', async () => {
  const { clock, driver } = driverWith({ fence: oneAfterTheOther({ kind: 'never_seen' }) });
  const outcome = sendOnce(driver, request, signal);
  await clock.pass(pauseMs);
  expect(await outcome).toEqual({ kind: 'fenced' });
});

test('a call is not sent to a bridge that died while its start was recorded: it has not started, and nobody is asked', async () => {
  const { driver, asked } = driverWith({ fence: oneAfterTheOther(wrongInstance), dead, alive: ['another'] });
  expect(await sendOnce(driver, request, signal)).toEqual({ kind: 'fenced' });
  expect(asked).toEqual([]);
});

test('once the answer has come, nothing is asked any more', async () => {
  const { clock, asked, driver } = driverWith({ execute: () => Promise.resolve(done) });
  expect(await sendOnce(driver, request, signal)).toEqual(done);
  await clock.pass(2 * pauseMs);
  expect(asked).toEqual(['execute bridge']);
});

test('a bridge that goes on under another id is asked until it answers: only its process knows', async () => {
  const fence = oneAfterTheOther(silence, silence, { kind: 'outcome', outcome: done });
  const { clock, driver } = driverWith({ fence, dead: new Set(['bridge']), alive: ['bridge~1'] });
  const outcome = askFence(driver, key, 'bridge');
  for (let question = 1; question <= 3; question += 1) await clock.pass(1_000);
  expect(await outcome).toEqual(done);
});

const dead = new Set(['bridge']);
const wrongInstance = new DomainError('failed_precondition', 'another', { details: { reason: 'wrong_instance' } });
const noAddress = new DomainError('unavailable', 'not in the list', { details: { reason: 'no_address' } });

test.each([
  ['another process answers at its address', wrongInstance],
  ['nobody knows where it is', noAddress],
])('a dead bridge is not waited for where %s: nobody knows what became of its calls', async (_, error) => {
  const { driver, asked } = driverWith({ fence: oneAfterTheOther(error), dead, alive: ['another'] });
  expect(await askFence(driver, key, 'bridge')).toMatchObject({ kind: 'unknown' });
  expect(asked).toEqual(['fence bridge']);
});

test('a bridge that was held up for longer than its time to live still tells what became of its call', async () => {
  const fence = oneAfterTheOther(silence, silence, silence, { kind: 'outcome', outcome: done });
  const { clock, driver } = driverWith({ fence, dead });
  const outcome = askFence(driver, key, 'bridge');
  // Asked at 0, 250 and 625 ms: within a time to live.
  for (const pause of [0, 250, 375, ttlMs]) await clock.pass(pause);
  expect(await outcome).toEqual(done);
});

test('a dead bridge that is silent for another time to live is not waited for any more', async () => {
  const { clock, driver, asked } = driverWith({ fence: () => Promise.reject(silence), dead });
  const outcome = askFence(driver, key, 'bridge');
  for (let pause = 1; pause <= 4; pause += 1) await clock.pass(ttlMs);
  expect(await outcome).toMatchObject({ kind: 'unknown' });
  expect(asked).toHaveLength(2);
});

test('a bridge that answers in between is silent anew', async () => {
  const fence = oneAfterTheOther(silence, running, silence, { kind: 'outcome', outcome: done });
  const { clock, driver } = driverWith({ fence, dead });
  const outcome = askFence(driver, key, 'bridge');
  for (let pause = 1; pause <= 4; pause += 1) await clock.pass(ttlMs);
  expect(await outcome).toEqual(done);
});

/** The run of the call, which is safe to repeat and has no start on the record. */
const run = (phase: CallState['phase']): RunState => {
  const call = { id: 'call', phase, repeatable: true, attempt: 0 };
  const owner = { instance: 'me', epoch: 1 };
  return { id: 'r', status: 'open', interrupts: {}, owner, calls: { call } } as unknown as RunState;
};

test('a call that no bridge begins has failed for the reason that they give', async () => {
  const message = 'the log could not be asked whether the call may run';
  const execute = async (): Promise<ExecuteOutcome> => ({ kind: 'fenced', message });
  const { clock, driver } = driverWith({ execute, alive: ['bridge'] }, {}, run('ready'));
  const outcome = sendRepeatable(driver, request, signal);
  for (let pause = 1; pause <= 4; pause += 1) await clock.pass(2_000);
  expect(await outcome).toEqual({ kind: 'unknown', message });
});

test('a call whose result another process has put on the record meanwhile is not sent again', async () => {
  const { clock, asked, driver } = driverWith(
    { execute: () => Promise.reject(silence), alive: ['bridge'] },
    {},
    run('ready'),
  );
  const outcome = sendRepeatable(driver, request, signal);
  await clock.pass(0);
  driver.state = { ...driver.state, run: run('done') };
  await clock.pass(2_000);
  expect(await outcome).toBeUndefined();
  expect(asked).toEqual(['execute bridge']);
});
