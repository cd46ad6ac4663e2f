import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Happening,
  isConnected,
  nextState,
  retryAfter,
  type ServerState,
  type StateBounds,
} from '../src/servers/server-state.ts';

const bounds: StateBounds = {
  backoffFirstMs: 500,
  backoffMaxMs: 30_000,
  backoffResetMs: 60_000,
  crashesMax: 4,
  crashLoopPauseMs: 300_000,
  quarantinePauseMs: 600_000,
  signsMissedMax: 2,
};

type Told = readonly [atMs: number, happening: Happening];

/** Where a server is after what happened to it. Without jitter, so that each pause is the longest it may be. */
function given(...history: readonly Told[]) {
  const after = history.reduce<ServerState>(
    (state, [now, happening]) => nextState(state, happening, { now, random: 1 }, bounds),
    { kind: 'starting' },
  );
  return {
    when: (...more: readonly Told[]) => ({
      gives: (expected: object) => expect(given(...history, ...more).state).toMatchObject(expected),
    }),
    state: after,
  };
}

const opened = { type: 'opened' } as const;
const answered = { type: 'answered' } as const;
const lost = { type: 'lost', reason: 'it ended' } as const;
const failed = { type: 'failed', reason: 'it ended at its start' } as const;
const unreachable = { type: 'unreachable', reason: 'nobody is there' } as const;
const refused = { type: 'refused', reason: 'a redirect' } as const;
const doubted = { type: 'doubted', reason: 'a call took too long' } as const;
const silent = { type: 'silent', reason: 'no answer' } as const;
const forgot = { type: 'forgot', reason: 'no such session' } as const;
const stopped = { type: 'stopped' } as const;

describe('a server that starts', () => {
  test('is ready when it is connected', () =>
    given()
      .when([0, opened])
      .gives({ kind: 'ready', up: { since: 0 } }));
  test('is tried again when nobody is there', () =>
    given().when([10, unreachable]).gives({ kind: 'backoff', until: 510, reason: 'nobody is there' }));
  test('is quarantined when it is not taken as it is', () =>
    given().when([10, refused]).gives({ kind: 'quarantined', until: 600_010, reason: 'a redirect' }));
});

describe('a server that is connected', () => {
  test('is in doubt when a call took too long, and ready again with a sign of life', () => {
    given([0, opened]).when([5, doubted]).gives({ kind: 'degraded', missed: 1, reason: 'a call took too long' });
    given([0, opened], [5, doubted])
      .when([6, answered])
      .gives({ kind: 'ready', up: { since: 0 } });
  });
  test('is given up when it owes two signs of life: the first silence of one in doubt is the second', () => {
    given([0, opened]).when([5, silent]).gives({ kind: 'degraded', missed: 1 });
    given([0, opened]).when([5, silent], [6, silent]).gives({ kind: 'backoff', until: 506, reason: 'no answer' });
    given([0, opened]).when([5, doubted], [6, silent]).gives({ kind: 'backoff', until: 506 });
  });
  test('is not in more doubt for a second call that took too long', () =>
    given([0, opened]).when([5, doubted], [6, doubted]).gives({ kind: 'degraded', missed: 1 }));
  test('owes nothing any more once it has answered', () =>
    given([0, opened], [5, silent], [6, answered]).when([7, silent]).gives({ kind: 'degraded', missed: 1 }));
  test('is connected again at once when it forgot the session, which is no failure', () => {
    given([0, opened]).when([5, forgot]).gives({ kind: 'backoff', until: 5, failures: 0, crashes: 0 });
  });
});

describe('a server that ended', () => {
  test('is tried again after a pause that doubles, up to the longest', () => {
    const pauses = (times: number) => Array.from({ length: times }, (): Told => [0, unreachable]);
    const until = (times: number) => given(...pauses(times)).state;
    expect([1, 2, 3, 7, 20].map((times) => retryAfter(until(times), 0))).toEqual([500, 1_000, 2_000, 30_000, 30_000]);
  });
  test('is in a crash loop after four times in a row, and still tried again', () => {
    const history: readonly Told[] = [
      [0, opened],
      [1, lost],
      [2, opened],
      [3, lost],
      [4, failed],
    ];
    given(...history)
      .when([5, failed])
      .gives({ kind: 'crash_loop', until: 300_005, crashes: 4 });
    given(...history, [5, failed])
      .when([300_005, opened])
      .gives({ kind: 'ready' });
  });
  test('is in the loop again at once when it does not stay up', () =>
    given([0, failed], [1, failed], [2, failed], [3, failed], [400_000, opened])
      .when([400_001, lost])
      .gives({ kind: 'crash_loop' }));
  test('begins with the first pause again once it stayed up for a minute, not before', () => {
    const before: readonly Told[] = [
      [0, failed],
      [1, failed],
      [1_000, opened],
    ];
    given(...before)
      .when([61_000, lost])
      .gives({ kind: 'backoff', until: 61_500, crashes: 1 });
    given(...before)
      .when([60_999, lost])
      .gives({ kind: 'backoff', until: 62_999, crashes: 3 });
  });
  test('is in no crash loop while it is merely out of reach', () =>
    given(...Array.from({ length: 50 }, (): Told => [0, unreachable]))
      .when([0, unreachable])
      .gives({ kind: 'backoff' }));
  test('gives no sign of life', () => {
    given([0, opened], [1, lost]).when([2, answered]).gives({ kind: 'backoff' });
    given([0, opened], [1, lost]).when([2, doubted]).gives({ kind: 'backoff' });
    given([0, opened], [1, lost]).when([2, silent]).gives({ kind: 'backoff', failures: 1 });
  });
});

test('a pause is half fixed and half random', () => {
  const pause = (random: number) =>
    retryAfter(nextState({ kind: 'starting' }, unreachable, { now: 0, random }, bounds), 0);
  expect([0, 0.5, 1].map(pause)).toEqual([250, 375, 500]);
});

test('whatever happens: what is not connected says when it is tried again, and what is stopped stays so', () => {
  const happening = fc.constantFrom<Happening>(
    opened,
    answered,
    lost,
    failed,
    unreachable,
    refused,
    doubted,
    silent,
    forgot,
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(100_000), happening)),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (steps, random) => {
        let state: ServerState = { kind: 'starting' };
        let now = 0;
        for (const [pause, what] of steps) {
          now += pause;
          state = nextState(state, what, { now, random }, bounds);
          const waits = retryAfter(state, now);
          if (isConnected(state) || state.kind === 'starting') expect(waits).toBeUndefined();
          else expect(waits).toBeLessThanOrEqual(bounds.quarantinePauseMs);
        }
        const end = nextState(state, stopped, { now, random }, bounds);
        expect(end).toEqual({ kind: 'stopped' });
        expect(nextState(end, opened, { now, random }, bounds)).toEqual(end);
      },
    ),
  );
});
