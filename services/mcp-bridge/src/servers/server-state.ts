// The life of one tool server, without any I/O. What the connection owes next follows from the state alone:
//
//   starting ──► ready ◄──► degraded ──► backoff ──► ready
//       │                                 │  ▲
//       └──► backoff, quarantined         ▼  │
//                                     crash_loop, quarantined
//
// 1. Only what is connected is ready or degraded; every other state says when it is tried again (`until`), so that none of
//    them lasts for ever unseen.
// 2. A server that ended is tried again after a pause that grows. Only time in which it stays up makes the pause short
//    again: one that comes up and ends at once must not be started twice a second for ever.
// 3. What ends again and again soon after it came up is in a crash loop. What nobody can reach is not: it costs little to try.
// 4. What is refused for what it is (a redirect, an address that is not allowed) is quarantined. Trying often does not help.
import type { BridgeBounds } from '../bounds.ts';

/** Where a server is in its life. Times are milliseconds of a clock that only grows. */
export type ServerState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'ready'; readonly up: Up }
  /** Connected, but it owes a sign of life; `missed`: how many it owes. */
  | { readonly kind: 'degraded'; readonly up: Up; readonly missed: number; readonly reason: string }
  | ({ readonly kind: 'backoff' | 'crash_loop' | 'quarantined' } & Down)
  | { readonly kind: 'stopped' };

/** Failures in a row: since when it last stayed up for long. */
type Failures = {
  /** Of any kind: the next pause follows from them. */
  readonly failures: number;
  /** Those of them in which it ended, and was not merely out of reach. */
  readonly crashes: number;
};
type Up = Failures & { readonly since: number };
type Down = Failures & { readonly reason: string; readonly until: number };

/** What can happen to a server. */
export type Happening =
  /** Connected, and its tools have been listed. */
  | { readonly type: 'opened' }
  /** It could not be connected: there is nobody. */
  | { readonly type: 'unreachable'; readonly reason: string }
  /** It could not be connected: it ended, or did not do what a server does. */
  | { readonly type: 'failed'; readonly reason: string }
  /** It is not taken as it is, and waiting does not help. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The connection is of no use any more. */
  | { readonly type: 'lost'; readonly reason: string }
  /** It has ended the session, and is there: a new one can be had at once. */
  | { readonly type: 'forgot'; readonly reason: string }
  /** A call of it took too long. */
  | { readonly type: 'doubted'; readonly reason: string }
  /** It was asked for a sign of life and gave none. */
  | { readonly type: 'silent'; readonly reason: string }
  /** It gave a sign of life. */
  | { readonly type: 'answered' }
  | { readonly type: 'stopped' };

/** How long what lasts. */
export type StateBounds = Pick<
  BridgeBounds,
  | 'backoffFirstMs'
  | 'backoffMaxMs'
  | 'backoffResetMs'
  | 'crashesMax'
  | 'crashLoopPauseMs'
  | 'quarantinePauseMs'
  | 'signsMissedMax'
>;

/** What the world adds to a step: the time, and a number from 0 to below 1 for the jitter of a pause. */
export type Moment = { readonly now: number; readonly random: number };

/** Half of each pause is fixed, the other half random, so that many bridges do not all come back at once. */
const fixedShare = 0.5;

/** The state after something happened. What makes no sense in a state (a sign of life of the dead) changes nothing. */
export function nextState(state: ServerState, happening: Happening, moment: Moment, bounds: StateBounds): ServerState {
  if (state.kind === 'stopped') return state;
  switch (happening.type) {
    case 'stopped':
      return { kind: 'stopped' };
    case 'opened':
      return isConnected(state) ? state : { kind: 'ready', up: { ...failuresOf(state), since: moment.now } };
    case 'unreachable':
    case 'failed':
    case 'refused':
      return isConnected(state) ? state : afterFailure(failuresOf(state), happening, moment, bounds);
    case 'lost':
      return isConnected(state) ? afterLoss(state.up, happening.reason, moment, bounds) : state;
    case 'forgot':
      return isConnected(state)
        ? { kind: 'backoff', ...countersOf(state.up), reason: happening.reason, until: moment.now }
        : state;
    case 'doubted':
      return state.kind === 'ready' ? { kind: 'degraded', up: state.up, missed: 1, reason: happening.reason } : state;
    case 'silent': {
      if (!isConnected(state)) return state;
      const missed = (state.kind === 'degraded' ? state.missed : 0) + 1;
      return missed >= bounds.signsMissedMax
        ? afterLoss(state.up, happening.reason, moment, bounds)
        : { kind: 'degraded', up: state.up, missed, reason: happening.reason };
    }
    case 'answered':
      return state.kind === 'degraded' ? { kind: 'ready', up: state.up } : state;
  }
}

/** Whether there is a connection. */
export function isConnected(state: ServerState): state is Extract<ServerState, { readonly up: Up }> {
  return state.kind === 'ready' || state.kind === 'degraded';
}

/** How long until a server that is down is tried again, in milliseconds; undefined if it is not down. */
export function retryAfter(state: ServerState, now: number): number | undefined {
  return 'until' in state ? Math.max(0, state.until - now) : undefined;
}

function afterLoss(up: Up, reason: string, moment: Moment, bounds: StateBounds): ServerState {
  const stayed = moment.now - up.since >= bounds.backoffResetMs;
  return afterFailure(stayed ? noFailures : up, { type: 'failed', reason }, moment, bounds);
}

function afterFailure(
  before: Failures,
  { type, reason }: { readonly type: 'unreachable' | 'failed' | 'refused'; readonly reason: string },
  { now, random }: Moment,
  bounds: StateBounds,
): ServerState {
  const failures = before.failures + 1;
  const crashes = before.crashes + (type === 'failed' ? 1 : 0);
  const wait = (longest: number) => now + longest * (fixedShare + (1 - fixedShare) * random);
  if (type === 'refused')
    return { kind: 'quarantined', failures, crashes, reason, until: wait(bounds.quarantinePauseMs) };
  if (type === 'failed' && crashes >= bounds.crashesMax)
    return { kind: 'crash_loop', failures, crashes, reason, until: wait(bounds.crashLoopPauseMs) };
  const longest = Math.min(bounds.backoffMaxMs, bounds.backoffFirstMs * 2 ** before.failures);
  return { kind: 'backoff', failures, crashes, reason, until: wait(longest) };
}

const noFailures: Failures = { failures: 0, crashes: 0 };

function failuresOf(state: ServerState): Failures {
  return 'failures' in state ? countersOf(state) : noFailures;
}

function countersOf({ failures, crashes }: Failures): Failures {
  return { failures, crashes };
}
