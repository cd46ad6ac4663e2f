import {
  type ConversationState,
  decodeSnapshot,
  encodeSnapshot,
  evolve,
  fact,
  fold,
  foldVersion,
  initialState,
  type RecordedFact,
} from '@stopgo/core';
import { facts } from '@stopgo/proto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tierOf } from '../../../../tests/tiers.ts';
import { given, recorded } from '../specification.ts';
import { answered, approved, call, claim, drove, opened, returns, said, starts } from '../story.ts';
import { play } from './runner.ts';
import { agents, tapes } from './trees.ts';

const numRuns = tierOf(process.env) === 'quick' ? 25 : 60;
const logs = fc.tuple(agents, tapes).map(([agent, tape]) => play(agent, tape).log);
const snapshotted = (state: ConversationState) =>
  decodeSnapshot(encodeSnapshot(state), foldVersion) as ConversationState;

describe('the fold', () => {
  test('never throws, whatever the order, whatever is missing or foreign', () => {
    const strange = fc.tuple(logs, logs, fc.array(fc.nat(), { minLength: 1, size: 'max', maxLength: 60 }));
    fc.assert(
      fc.property(strange, ([one, other, picks]) => {
        const both = [...one, ...other.map(elsewhere)];
        const events = picks.map((pick, index) => ({
          ...(both[pick % both.length] as RecordedFact),
          revision: index + 1,
        }));
        const state = fold(initialState, events);
        expect(state.revision).toBe(events.length);
        expect(snapshotted(state)).toEqual(state);
      }),
      { numRuns },
    );
  });

  test('goes on from a snapshot at any event as if there had been none', () => {
    fc.assert(
      fc.property(logs, fc.nat(), (log, at) => {
        const split = at % (log.length + 1);
        const before = snapshotted(fold(initialState, log.slice(0, split)));
        expect(fold(before, log.slice(split))).toEqual(fold(initialState, log));
      }),
      { numRuns },
    );
  });

  test('takes nothing from an event of an earlier run but that it was there', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const next = given(opened, said('next', { runId: 'run-2' }), answered({ calls: [call('add')] })).state;
        const foreign = log.filter(({ fact }) => 'runId' in fact.value && fact.case !== 'runStarted');
        for (const event of foreign) expect(evolve(next, event).run).toBe(next.run);
      }),
      { numRuns },
    );
  });
});

test('a call that is done stays as it is, whatever else is recorded of it', () => {
  const place = { runId: 'run-1', stepId: 'root', callId: 'root#1.0', attempt: 1 };
  const done = given(opened, said('list'), answered({ calls: [call('list')] }), drove([returns('root#1.0')])).state;
  for (const one of [
    fact('toolCallFinished', { ...place, isError: true }),
    fact('toolCallStarted', place),
    fact('toolCallInDoubt', place),
    fact('toolCallRefused', { ...place, reason: facts.RefusalReason.PIN_CHANGED }),
    fact('toolCallRefused', { ...place, reason: facts.RefusalReason.NOT_STARTED }),
  ])
    expect(recorded([one], done.revision).reduce(evolve, done).run, one.case).toEqual(done.run);
});

test('the snapshot of a conversation of 200 turns is no larger than that of one of 10', () => {
  const sizes: number[] = [];
  let state = given(opened).state;
  for (let turn = 1; turn <= 200; turn += 1) {
    const happenings = [
      said('add it, please', { runId: `run-${String(turn).padStart(4, '0')}` }),
      answered({ text: 'I would like to.', calls: [call('add'), call('list')] }),
      drove([returns('root#1.1', 'three resources')]),
      approved(),
      drove([claim, starts('root#1.0')]),
      drove([returns('root#1.0', 'a long result '.repeat(100))]),
      answered({ text: 'Done. '.repeat(100) }),
    ];
    for (const happening of happenings) state = recorded(happening(state), state.revision).reduce(evolve, state);
    expect(state.run?.status).toBe('completed');
    sizes.push(encodeSnapshot(state).length);
  }
  // Only the digits of revisions and counts grow.
  expect((sizes[199] ?? 0) - (sizes[9] ?? 0)).toBeLessThan(64);
});

test('a snapshot of another version of the fold is not read', () => {
  expect(decodeSnapshot(encodeSnapshot(initialState), foldVersion + 1)).toBeUndefined();
});

function elsewhere(event: RecordedFact): RecordedFact {
  const { fact: one } = event;
  if (one.case === 'modelResponded')
    return { ...event, fact: fact('modelResponded', { ...one.value, stepId: 'root/9' }) };
  return one.case === 'toolCallStarted'
    ? { ...event, fact: fact('toolCallStarted', { ...one.value, callId: 'root/9#1.0' }) }
    : event;
}
