import { byteLength, failureText, promptMessages, TranscriptBuilder } from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { failureBytesMax } from '../src/text/bounds.ts';
import { givenUpResult, rejectedFor } from '../src/text/texts.ts';
import { given, type Happening } from './specification.ts';
import {
  answered,
  approved,
  call,
  canceled,
  claim,
  decided,
  drove,
  handsInLate,
  opened,
  rejected,
  returns,
  said,
  starts,
  unknown,
} from './story.ts';

const { DecisionKind } = approvals;

const id = 'root#1.0';
const transcriptOf = (...happenings: readonly Happening[]) => {
  const transcript = new TranscriptBuilder();
  for (const event of given(...happenings).log) transcript.add(event);
  return transcript;
};
const resultOf = (...happenings: readonly Happening[]) => transcriptOf(...happenings).resultOf('run-1', id)?.content;
const started = [
  opened,
  said('add it'),
  answered({ text: 'I would.', calls: [call('add', { n: 1 })] }),
  approved(),
  drove([claim, starts(id)]),
];
const inDoubt = [...started, drove([unknown(id)])];

describe('what a model is told', () => {
  test('is each message, and after an answer the result of each of its calls', () => {
    const story = [
      opened,
      said('both'),
      answered({ calls: [call('list'), call('drop')] }),
      drove([returns(id, 'three')]),
      answered({ text: 'Three.' }),
    ];
    const messages = promptMessages(transcriptOf(...story, said('more', { runId: 'run-2' })), { kind: 'conversation' });
    expect(messages).toMatchObject([
      { role: 'user', text: 'both' },
      { role: 'assistant', calls: [{ name: 'list' }, { name: 'drop' }] },
      {
        role: 'tool',
        results: [
          { name: 'list', content: 'three', isError: false },
          { name: 'drop', content: 'Tool not found: drop', isError: true },
        ],
      },
      { role: 'assistant', text: 'Three.' },
      { role: 'user', text: 'more' },
    ]);
  });

  test('names calls of two runs that stand in the same place apart, and their results', () => {
    const asks = answered({ calls: [call('list')] });
    const one = [said('one'), asks, drove([returns(id, 'three')]), answered({ text: 'Three.' })];
    const two = [said('two', { runId: 'run-2' }), asks, drove([returns(id, 'four')])];
    const messages = promptMessages(transcriptOf(opened, ...one, ...two), { kind: 'conversation' });
    const asked = messages.flatMap((one) => (one.role === 'assistant' ? one.calls : []));
    expect(asked.map(({ callId }) => callId)).toEqual([`run-1 ${id}`, `run-2 ${id}`]);
    const results = messages.flatMap((one) => (one.role === 'tool' ? one.results : []));
    expect(results).toMatchObject([
      { callId: asked[0]?.callId, content: 'three' },
      { callId: asked[1]?.callId, content: 'four' },
    ]);
  });

  test('of a call that was rejected, taken back, given up or said to have happened is what the human decided', () => {
    const asked = [opened, said('add'), answered({ calls: [call('add'), call('remove')] })];
    expect(resultOf(...asked, rejected(id))).toBe(rejectedFor(''));
    const takenBack = decided({ kind: DecisionKind.WITHDRAW }, id);
    expect(resultOf(...asked, takenBack)).toBe('This call was withdrawn; it was not run.');
    expect(resultOf(...inDoubt, decided({ kind: DecisionKind.GIVE_UP }))).toBe(givenUpResult);
    expect(resultOf(...inDoubt, decided({ kind: DecisionKind.HAPPENED, result: 'id 7' }))).toBe('id 7');
  });

  test('of a call that was run again is the result of that, though the first came in late', () => {
    const again = [
      ...inDoubt,
      decided({ kind: DecisionKind.RUN_AGAIN }),
      drove([claim, starts(id, 2)]),
      handsInLate(id, 'first'),
    ];
    expect(resultOf(...again, drove([returns(id, 'second', 2)]))).toBe('second');
  });

  test('ahead of the append that records it, is a result as it is told afterwards', () => {
    const again = [
      ...inDoubt,
      decided({ kind: DecisionKind.RUN_AGAIN }),
      drove([claim, starts(id, 2)]),
      handsInLate(id, 'first'),
    ];
    const { log } = given(...again, drove([returns(id, 'second', 2)]));
    const results = log.slice(-1).flatMap(({ fact }) => (fact.case === 'toolCallFinished' ? [fact.value] : []));
    const ahead = promptMessages(transcriptOf(...again).withResults(results), { kind: 'conversation' });
    expect(ahead.at(-1)).toMatchObject({ role: 'tool', results: [{ content: 'second' }] });
    const after = transcriptOf(...again, drove([returns(id, 'second', 2)]));
    expect(ahead).toEqual(promptMessages(after, { kind: 'conversation' }));
  });

  test('of a call that a human gave up stays so, and of a canceled run is the late result', () => {
    expect(resultOf(...inDoubt, decided({ kind: DecisionKind.GIVE_UP }), handsInLate(id, 'late'))).toBe(givenUpResult);
    expect(resultOf(...started, canceled, handsInLate(id, 'late'))).toBe('late');
  });

  test('says so of a call whose run ended before it had a result', () => {
    const messages = promptMessages(transcriptOf(...started, canceled), { kind: 'conversation' });
    expect(messages.at(-1)).toMatchObject({ role: 'tool', results: [{ isError: true }] });
  });
});

describe('a transcript', () => {
  test('takes each event once, and misses none', () => {
    const { log } = given(...started);
    const transcript = new TranscriptBuilder();
    for (const event of [...log, ...log]) transcript.add(event);
    expect(transcript.entries).toHaveLength(2);
    expect(() => transcript.add({ ...(log[0] as (typeof log)[0]), revision: log.length + 2 })).toThrow(
      /does not follow/,
    );
  });

  test('knows the arguments of a call by the revision of its answer', () => {
    const { log, state } = given(...started);
    const transcript = transcriptOf(...started);
    const revision = state.run?.calls[id]?.revision ?? 0;
    expect(log[revision - 1]?.fact.case).toBe('modelResponded');
    expect(transcript.argumentsAt(revision, id)).toBe('{"n":1}');
  });
});

describe('what the user is told when the model fails', () => {
  test('names the error, and every call of the run that was made, with its result', () => {
    const transcript = transcriptOf(...started, drove([returns(id, 'id 7')]));
    const text = failureText('no quota', transcript, 'run-1');
    expect(text).toMatch(/^LLM error: no quota\n\n/);
    expect(text).toContain('add: id 7');
    expect(failureText('no quota', transcript, 'run-2')).toBe('LLM error: no quota');
  });

  test('is bounded, however much was done', () => {
    const many = Array.from({ length: 32 }, () => call('list'));
    const outcomes = many.map((_, index) => returns(`root#1.${index}`, 'x'.repeat(10_000)));
    const transcript = transcriptOf(opened, said('go'), answered({ calls: many }), drove(outcomes));
    expect(byteLength(failureText('no quota', transcript, 'run-1'))).toBeLessThanOrEqual(failureBytesMax);
  });
});
