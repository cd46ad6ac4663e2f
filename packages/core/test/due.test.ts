import { isDue, nextDue, provideInput, runStanding, serverQuestions } from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { dawn, given } from './specification.ts';
import {
  answered,
  call,
  canceled,
  drives,
  drove,
  opened,
  provides,
  said,
  samplingQuestion,
  serverAsks,
  starts,
} from './story.ts';

/** What is not waited for for ever: the time is on the record, and whoever drives the run records that it is over. */
const id = 'root#1.0';
const underWay = [opened, said('note it'), answered({ calls: [call('note')] }), drove([starts(id)])];
const asking = [...underWay, drove([serverAsks(id)])];
const dueAt = dawn + 60_000;

/** What the driver does at a time, with nothing else to put on the record. */
const looksAt = (now: number) => drives([], { now });
const lookedAt = (now: number) => drove([], { now });

describe('a question of a tool server', () => {
  test('is due when its bridge would give it up', () => {
    const { run } = given(...asking).state;
    expect(nextDue(run)).toBe(dueAt);
    expect([isDue(run, dueAt - 1), isDue(run, dueAt)]).toEqual([false, true]);
  });

  test('is withdrawn once it is due, and not before', () => {
    given(...asking)
      .when(looksAt(dueAt - 1))
      .thenNothing();
    given(...asking)
      .when(looksAt(dueAt))
      .thenFacts(['inputWithdrawn', { callId: id, reason: 'nobody answered in time' }])
      .thenOwes({ kind: 'recover', id, attempt: 1 });
  });

  test('of a model is withdrawn as well', () => {
    given(...underWay, drove([serverAsks(id, [samplingQuestion()])]))
      .when(looksAt(dueAt))
      .thenFacts(['inputWithdrawn', { reason: 'no model answered in time' }]);
  });

  test('is over once: the next look finds nothing, and an answer is told so', () => {
    const inputId = serverQuestions(given(...asking).state.run)[0]?.id ?? '';
    const over = [...asking, lookedAt(dueAt)];
    expect(nextDue(given(...over).state.run)).toBeUndefined();
    given(...over)
      .when(looksAt(dueAt + 1))
      .thenNothing();
    given(...over)
      .when((state) => provideInput(state, { now: 0, inputId, action: 'decline', contentJson: '' }))
      .thenRefused({ kind: 'settled', input: { how: 'withdrawn', reason: 'nobody answered in time' } });
  });

  test('that was answered in time is not due any more, however late anybody looks', () => {
    const inTime = [...asking, provides(id, 'decline')];
    expect(nextDue(given(...inTime).state.run)).toBeUndefined();
    given(...inTime)
      .when(looksAt(dueAt))
      .thenNothing();
  });

  test('of a run that has ended is not due', () => {
    expect(nextDue(given(...asking, canceled).state.run)).toBeUndefined();
  });
});

test('that something will be due makes no work, and keeps no run from waiting', () => {
  expect(runStanding(given(...asking).state)).toBe('waiting');
});
