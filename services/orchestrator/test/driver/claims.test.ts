import { conversationStream, type Fact, fact, fold, initialState, type RecordedFact } from '@stopgo/core';
import type { Append, AppendOutcome } from '@stopgo/log';
import { expect, test } from 'vitest';
import { claimsMax, claimsWindowMs } from '../../src/driver/run/claims.ts';
import { Registry } from '../../src/driver/run/registry.ts';
import { driverWith } from './one-driver.ts';

const runId = 'run';

function recorded(facts: readonly (readonly [time: number, fact: Fact])[]): RecordedFact[] {
  return facts.map(([time, one], index) => ({
    stream: conversationStream('c'),
    revision: index + 1,
    eventId: `e${index}`,
    time,
    actor: { kind: 'system', id: 'o' },
    causationId: '',
    correlationId: '',
    fact: one,
  }));
}

const claim = (epoch: number): Fact => fact('runClaimed', { runId, owner: { instance: `o${epoch}`, epoch } });

/** A run that was begun at the time 0 and claimed at these times, by another process each time; then came the rest. */
function claimed(times: readonly number[], ...rest: readonly (readonly [time: number, fact: Fact])[]): RecordedFact[] {
  return recorded([
    [0, fact('conversationCreated', { conversationId: 'c', agentName: 'agent' })],
    [0, fact('userMessageReceived', { runId, text: 'go' })],
    [0, fact('runStarted', { runId, owner: { instance: 'o0', epoch: 1 } })],
    ...times.map((time, index) => [time, claim(index + 2)] as const),
    ...rest,
  ]);
}

const evenly = (count: number, everyMs: number): number[] =>
  Array.from({ length: count }, (_, index) => index * everyMs);

/** What a process does about a run whose owner is dead: the kinds of facts that it appends, and whether it takes the run up. */
async function takenUp(events: readonly RecordedFact[], nowMs: number, first?: AppendOutcome) {
  const { ports } = driverWith({});
  const outcomes = first === undefined ? [] : [first];
  const appended: string[] = [];
  const log = {
    ...ports.log,
    load: async () => ({ conversationId: 'c', state: fold(initialState, events), knownKeys: [] }),
    read: async function* (_: string, from: number) {
      yield* events.slice(from - 1);
    },
    append: async (append: Append): Promise<AppendOutcome> => {
      const conflict = outcomes.shift();
      if (conflict !== undefined) return conflict;
      appended.push(...append.facts.map((one) => one.case));
      return { kind: 'appended', revision: append.expectedRevision + append.facts.length };
    },
  };
  const isDead = (instance: string): boolean => instance !== 'me';
  const instant = { now: () => nowMs, monotonic: () => nowMs, sleep: () => Promise.resolve() };
  const liveness = { ...ports.liveness, isDead };
  const definitions = {
    agent: () => Promise.reject(new Error('taken up')),
    toolset: () => Promise.reject(new Error('taken up')),
    policy: () => Promise.reject(new Error('taken up')),
  };
  const registry = new Registry({ ...ports, log, liveness, clock: instant }, definitions, 10);
  const isTakenUp = await registry.resume('c').then(
    () => false,
    (error: unknown) => String(error).includes('taken up'),
  );
  return { appended, isTakenUp };
}

test('a run that ends every process that drives it is ended itself', async () => {
  const times = evenly(claimsMax, 20_000);
  expect(await takenUp(claimed(times), times.at(-1)! + 20_000)).toEqual({ appended: ['runFailed'], isTakenUp: false });
});

test('a run that waits for long, and sees as many restarts meanwhile, goes on', async () => {
  const times = evenly(claimsMax, 60 * 60_000);
  expect(await takenUp(claimed(times), times.at(-1)! + 60_000)).toEqual({ appended: [], isTakenUp: true });
});

test('after a bad hour that it survived, a run counts as healthy', async () => {
  const times = evenly(claimsMax, 1_000);
  expect(await takenUp(claimed(times), claimsWindowMs)).toMatchObject({ appended: ['runFailed'] });
  expect(await takenUp(claimed(times), claimsWindowMs + 1)).toEqual({ appended: [], isTakenUp: true });
});

test('anything that a driver did is progress', async () => {
  const times = evenly(claimsMax, 1_000);
  const step = fact('stepStarted', { runId, stepId: 'root' });
  const before = claimed(
    times.slice(0, -1),
    [times.length * 1_000, step],
    [times.length * 1_000, claim(claimsMax + 1)],
  );
  expect(await takenUp(before, claimsMax * 1_000)).toEqual({ appended: [], isTakenUp: true });
});

test('a run that waits for a human is not ended, however often it was claimed', async () => {
  const times = evenly(2 * claimsMax, 1_000);
  const released = claimed(times, [times.at(-1)!, fact('runReleased', { runId })]);
  expect(await takenUp(released, times.at(-1)!)).toEqual({ appended: [], isTakenUp: false });
});

test('a run that shows a sign of life while it is being ended is not ended', async () => {
  const times = evenly(claimsMax, 1_000);
  const events = claimed(times);
  const [sign] = recorded([[0, fact('stepStarted', { runId, stepId: 'root' })]]);
  const unseen = [{ ...sign!, revision: events.length + 1 }];
  const conflict = { kind: 'conflict', currentRevision: events.length + 1, unseen } as const;
  expect(await takenUp(events, times.at(-1)!, conflict)).toEqual({ appended: [], isTakenUp: false });
});
