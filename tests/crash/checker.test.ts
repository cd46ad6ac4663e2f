import { type Fact, fact } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import {
  id,
  ids,
  story,
  type Timed,
  told as toldStory,
  twice as twiceStory,
  without as withoutStory,
  witnessed,
} from '../promises/sound-story.ts';
import { check } from './checker.ts';
import type { Evidence } from './evidence.ts';

// A story as it should be is forged in each of its parts, one after the other.

const { ApprovalKind, Decision } = facts;
const sound: Evidence = evidence(story);

function evidence(timed: readonly Timed[]): Evidence {
  const body = '{"contents":[{"parts":[{"text":"add x"}]}]}';
  return {
    ...witnessed(timed),
    modelRequests: [
      { life: 0, body, historyLength: 1 },
      { life: 1, body, historyLength: 3 },
    ],
    lives: [
      { begunAt: 50, endedAt: 150 },
      { begunAt: 160, endedAt: 300 },
    ],
    deaths: [150, 300],
  };
}

const told = (change: Parameters<typeof toldStory>[0]): Evidence => evidence(toldStory(change));
const without = (isGone: (one: Fact) => boolean): Evidence => evidence(withoutStory(isGone));
const twice = (isDoubled: (one: Fact) => boolean): Evidence => evidence(twiceStory(isDoubled));

test('a story as it should be has nothing wrong with it', () => {
  expect(check(sound)).toEqual([]);
});

test('a doubt that is noted once more, by a driver that comes too late, is judged with the start of its own attempt', () => {
  const late = fact('toolCallInDoubt', { ...ids, attempt: 1, reason: 'noted after the run had settled' });
  expect(check(evidence([...story, [260, late]]))).toEqual([]);
});

test('an answer that was promised under another key is not the one that is in the log', () => {
  const answer = (key: string) => fact('inputProvided', { runId: ids.runId, inputId: 'i', idempotency: { key } });
  const promised = { kind: 'answer', conversationId: id, key: 'key-answer', inputId: 'i' } as const;
  const wrong = (...keys: readonly string[]) =>
    check({ ...evidence([...story, ...keys.map((key): Timed => [260, answer(key)])]), acknowledged: [promised] });
  expect(wrong('key-answer')).toEqual([]);
  expect(wrong('another')).toEqual([expect.stringContaining('an acknowledged answer is in the log 0 times')]);
  expect(wrong('key-answer', 'key-answer')).toEqual([expect.stringContaining('in the log 2 times')]);
});

describe('the checker sees', () => {
  const [first, second] = sound.toolRuns;
  const [asked, askedOn] = sound.modelRequests;
  if (first === undefined || second === undefined || asked === undefined || askedOn === undefined)
    throw new Error('the story has two runs and two requests');
  const isResolved = (one: Fact, approvalId: string): boolean =>
    one.case === 'approvalResolved' && one.value.approvalId === approvalId;

  test.each<[string, Evidence, string]>([
    [
      'a run that no model asked for',
      { ...sound, toolRuns: [first, second, { ...second, argumentsJson: '{"name":"y","value":1}' }] },
      'a tool ran what no model asked for',
    ],
    [
      'a run with other arguments than were approved',
      { ...sound, toolRuns: [{ ...first, argumentsJson: '{"name":"x","value":2}' }, second] },
      'a tool ran what no model asked for',
    ],
    ['a run without an approval', without((one) => isResolved(one, 'a')), 'a gated call ran without an approval'],
    [
      'a run before its approval',
      { ...sound, toolRuns: [{ ...first, begunAt: 119 }, second] },
      'a gated call ran without an approval',
    ],
    [
      'a run with the approval of another call',
      told((at, one) =>
        one.case === 'approvalRequested' && one.value.approvalId === 'a'
          ? [[at, fact('approvalRequested', { ...ids, approvalId: 'a', kind: ApprovalKind.TOOL, digest: 'other' })]]
          : [[at, one]],
      ),
      'a gated call ran without an approval',
    ],
    [
      'a run after a no',
      told((at, one) =>
        isResolved(one, 'a')
          ? [[at, fact('approvalResolved', { ...ids, approvalId: 'a', decision: Decision.REJECTED })]]
          : [[at, one]],
      ),
      'a gated call ran without an approval',
    ],
    ['a second run that nobody asked for', without((one) => isResolved(one, 'b')), 'a call ran twice'],
    [
      'a third run after one decision',
      { ...sound, toolRuns: [first, second, { ...second, begunAt: 236 }] },
      'a call ran twice',
    ],
    [
      'a run before its fence',
      { ...sound, toolRuns: [{ ...first, begunAt: 125 }, second] },
      'a call ran before it was on the record',
    ],
    ['a result that no tool gave', { ...sound, toolRuns: [first] }, 'a result was recorded of a call'],
    ['a yes that nobody acts upon', without((one) => one.case === 'toolCallFinished'), 'an approved call has no end'],
    ['a doubt without a death', { ...sound, deaths: [300] }, 'a call is in doubt although nothing died'],
    [
      'a lost message',
      without((one) => one.case === 'userMessageReceived'),
      'an acknowledged message is in the log 0 times',
    ],
    [
      'a message taken twice',
      twice((one) => one.case === 'userMessageReceived'),
      'an acknowledged message is in the log 2 times',
    ],
    ['a lost decision', without((one) => isResolved(one, 'a')), 'an acknowledged decision is in the log 0 times'],
    [
      'a lost answer to an agent',
      { ...sound, acknowledged: [{ kind: 'answer', conversationId: id, key: 'key-answer', inputId: 'i' }] },
      'an acknowledged answer is in the log 0 times',
    ],
    [
      'a lost cancel',
      { ...sound, acknowledged: [{ kind: 'cancel', conversationId: id, key: 'key-cancel' }] },
      'an acknowledged cancel is in the log 0 times',
    ],
    ['two decisions on one approval', twice((one) => isResolved(one, 'b')), 'was decided twice'],
    ['a run left alone', without((one) => one.case === 'runCompleted'), 'has a run that nobody brings to an end'],
    [
      'a model asked twice at once',
      { ...sound, modelRequests: [asked, askedOn, askedOn] },
      'asked the model twice for turn 2',
    ],
    [
      'a model asked again after a restart',
      { ...sound, modelRequests: [asked, askedOn, { ...asked, life: 1 }] },
      'asked the model for turn 1 after its answer was recorded',
    ],
    [
      'an answer that no model gave',
      { ...sound, modelRequests: [asked] },
      'has 2 answers, and the model was asked for 1',
    ],
    ['a broken chain', { ...sound, problems: ['event 3: the hash is wrong'] }, 'the log or its views do not verify'],
  ])('%s', (_, forged, violation) => {
    expect(check(forged).join('\n')).toContain(violation);
  });
});
