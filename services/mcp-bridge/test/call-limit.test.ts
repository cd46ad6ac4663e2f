import { expect, test } from 'vitest';
import { clientTimerMs, connectionSilenceMs } from '../src/session/call-limit.ts';
import { waitShareMax } from '../src/session/running-time.ts';

test.each([
  { timeoutMs: 30_000, totalTimeoutMs: 600_000 },
  { timeoutMs: 3_600_000, totalTimeoutMs: 3_600_000 },
  { timeoutMs: 2, totalTimeoutMs: 1 },
])(
  'a call of %o that stands still and asks people ends by its limits, then by the client, then by the connection',
  (limits) => {
    const answersMs = 900_000;
    const longest = waitShareMax * Math.max(limits.timeoutMs, limits.totalTimeoutMs) + answersMs;
    expect(clientTimerMs(limits, answersMs)).toBeGreaterThan(longest);
    expect(connectionSilenceMs(limits, answersMs)).toBeGreaterThan(clientTimerMs(limits, answersMs));
  },
);
