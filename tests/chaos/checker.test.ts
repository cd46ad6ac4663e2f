import { type Fact, fact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { ids, story, type Timed, told, twice, without, witnessed } from '../promises/sound-story.ts';
import { check, type Evidence } from './checker.ts';

// A story as it should be, with a bridge that was killed inside its call, is forged in each of its parts. What the checker
// has in common with that of the crash test is forged there.

const { Decision, RefusalReason } = facts;
const sound: Evidence = evidence(story);

function evidence(timed: readonly Timed[]): Evidence {
  const carried = [{ name: 'kill mcp-bridge', part: 'mcp-bridge', from: 150, to: 170 } as const];
  return { ...witnessed(timed), carried, toolLimitMs: 50 };
}

function isRunAgain(one: Fact): boolean {
  return one.case === 'approvalResolved' && one.value.decision === Decision.RUN_AGAIN;
}

test('a story as it should be has nothing wrong with it', () => {
  expect(check(sound)).toEqual([]);
});

test('a frozen tool server may run both attempts after the human has decided', () => {
  const [first, second] = sound.toolRuns;
  expect(check({ ...sound, toolRuns: [{ ...first!, begunAt: 225 }, second!] })).toEqual([]);
});

test('a doubt that is noted once more, by a driver that comes too late, is judged with the start of its own attempt', () => {
  const late = fact('toolCallInDoubt', { ...ids, attempt: 1, reason: 'noted after the run had settled' });
  expect(check(evidence([...story, [260, late]]))).toEqual([]);
});

test('a call whose tool gets to it so late that it takes longer than its limit may be in doubt', () => {
  const [first, second] = sound.toolRuns;
  expect(check({ ...sound, carried: [], toolRuns: [{ ...first!, begunAt: 170, endedAt: 185 }, second!] })).toEqual([]);
  expect(check({ ...sound, carried: [], toolRuns: [{ ...first!, begunAt: 205, endedAt: 206 }, second!] })).toEqual([]);
});

describe('the checker sees', () => {
  const [first, second] = sound.toolRuns;
  test.each<[string, Evidence, string]>([
    ['a run without an approval', evidence(without((one) => one.case === 'approvalResolved')), 'without an approval'],
    ['a second run that nobody asked for', evidence(without(isRunAgain)), 'ran twice and nobody asked for it'],
    [
      'a second run before somebody asked for it',
      { ...sound, toolRuns: [first!, { ...second!, begunAt: 205 }] },
      'ran twice and nobody asked for it',
    ],
    [
      'a run more than attempts may have begun',
      evidence([...story, [245, fact('toolCallRefused', { ...ids, attempt: 1, reason: RefusalReason.NOT_STARTED })]]),
      'ran 2 times, and 1 attempts',
    ],
    ['a doubt while nothing was struck', { ...sound, carried: [] }, 'in doubt although neither bridge nor tool'],
    [
      'a doubt about a call whose tool ended within its limit',
      { ...sound, carried: [], toolRuns: [{ ...first!, endedAt: 180 }, second!] },
      'in doubt although neither bridge nor tool',
    ],
    [
      'a doubt before the limit of the call had passed',
      { ...sound, carried: [], toolLimitMs: 71, toolRuns: [{ ...first!, endedAt: 220 }, second!] },
      'in doubt although neither bridge nor tool',
    ],
    [
      'a doubt because of something else that was struck',
      { ...sound, carried: [{ name: 'kill store', part: 'store', from: 150, to: 170 }] },
      'in doubt although neither bridge nor tool',
    ],
    [
      'a doubt because of what was struck before',
      { ...sound, carried: [{ name: 'kill mcp-bridge', part: 'mcp-bridge', from: 110, to: 120 }] },
      'in doubt although neither bridge nor tool',
    ],
    [
      'a doubt about an attempt that was begun after the strike, though an earlier attempt was begun before',
      evidence(
        told((at, one) => {
          if (one.case === 'toolCallInDoubt') {
            const refused = fact('toolCallRefused', { ...ids, attempt: 1, reason: RefusalReason.NOT_STARTED });
            return [
              [175, refused],
              [180, fact('toolCallStarted', { ...ids, attempt: 2 })],
              [at, fact('toolCallInDoubt', { ...ids, attempt: 2 })],
            ];
          }
          return [[at, one]];
        }),
      ),
      'in doubt although neither bridge nor tool',
    ],
    [
      'a lost message',
      evidence(without((one) => one.case === 'userMessageReceived')),
      'an acknowledged message is in the log 0 times',
    ],
    ['an answer twice', evidence(twice((one) => one.case === 'modelResponded')), 'two results of model call'],
    ['a result twice', evidence(twice((one) => one.case === 'toolCallFinished')), 'two results of call'],
    ['an end twice', evidence(twice((one) => one.case === 'runCompleted')), 'two results of run'],
    [
      'two owners of one epoch',
      evidence([
        ...story,
        [260, fact('runClaimed', { runId: 'r', owner: { instance: 'o1', epoch: 2 } })],
        [261, fact('runClaimed', { runId: 'r', owner: { instance: 'o2', epoch: 2 } })],
      ]),
      'claimed without a new epoch',
    ],
    ['a run left alone', evidence(without((one) => one.case === 'runCompleted')), 'nobody brings to an end'],
    ['a run that failed', evidence([...story, [260, fact('runFailed', { runId: 'r', text: 'oh' })]]), 'failed: oh'],
    ['a store that does not agree', { ...sound, problems: ['store 1 has another c'] }, 'store 1 has another c'],
  ])('%s', (_, forged, violation) => {
    expect(check(forged).join('\n')).toContain(violation);
  });
});
