import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RunningCall } from '../src/session/running-call.ts';
import type { SessionCall } from '../src/session/session-call.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limitMs = 800;

/** A call with one limit, in a process that can be made to stand still: time goes on, and its timers are late. */
function running(limits: Partial<Pick<SessionCall, 'timeoutMs' | 'totalTimeoutMs'>>) {
  let stoodStillMs = 0;
  const clock = (): number => performance.now() + stoodStillMs;
  const { signal } = new AbortController();
  const tool = {} as SessionCall['tool'];
  const limit = { timeoutMs: 100 * limitMs, totalTimeoutMs: 100 * limitMs, ...limits };
  const call = new RunningCall(
    { tool, arguments: {}, token: undefined, signal, ...limit },
    { cancelWaitMs: limitMs, streamResumeMs: limitMs, clock },
  );
  return {
    call,
    run: (ms: number) => void vi.advanceTimersByTime(ms),
    standStill: (ms: number) => {
      stoodStillMs += ms;
    },
  };
}

test('a call is given up when its limit has passed', () => {
  const { call, run } = running({ timeoutMs: limitMs });
  run(limitMs - 1);
  expect(call.givenUp).toBeUndefined();
  run(1);
  expect(call.givenUp).toBe('timeout');
});

test.each([
  ['the time without progress', { timeoutMs: limitMs }, 'timeout', () => undefined],
  ['the time in all', { totalTimeoutMs: limitMs }, 'total', () => undefined],
  ['the wait after a cancellation', {}, 'canceled', (call: RunningCall) => call.stopWithin()],
] as const)('%s is not over before what came while the process stood still has been read', (_, limits, why, begin) => {
  const { call, run, standStill } = running(limits);
  begin(call);
  run(limitMs - 50);
  standStill(10 * limitMs);
  run(50);
  expect(call.givenUp).toBeUndefined();
  run(limitMs / 8 - 1);
  expect(call.givenUp).toBeUndefined();
  run(1);
  expect(call.givenUp).toBe(why);
});

test('a standstill that is short beside the limit of a call is noticed, too', () => {
  const timeoutMs = 60_000;
  const { call, run, standStill } = running({ timeoutMs });
  run(timeoutMs - 1);
  standStill(3_000);
  run(1);
  expect(call.givenUp).toBeUndefined();
  run(timeoutMs / 8);
  expect(call.givenUp).toBe('timeout');
});

test('a process that stands still again and again gives its calls up all the same', () => {
  const { call, run, standStill } = running({ timeoutMs: limitMs });
  for (let slice = 0; slice < 16; slice += 1) {
    expect(call.givenUp).toBeUndefined();
    standStill(limitMs);
    run(limitMs / 8);
  }
  expect(call.givenUp).toBe('timeout');
});
