import {
  outputText,
  type PromptMessage,
  placeholdersOf,
  promptMessages,
  type RecordedFact,
  resolvePrompt,
  TranscriptBuilder,
} from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { earlierTurnsBytesMax, earlierTurnsMax } from '../src/text/bounds.ts';
import { given, type Happening } from './specification.ts';
import {
  agentOf,
  answered,
  answers,
  call,
  drives,
  drove,
  llm,
  modelAnswered,
  opened,
  returns,
  said,
  says,
} from './story.ts';

const sequence = (...prompts: readonly string[]) =>
  agentOf({
    type: 'sequential',
    name: 'pipe',
    children: prompts.map((prompt, index) => llm({ name: `n${index}`, prompt, outputKey: `k${index}` })),
  });

function transcriptOf(log: readonly RecordedFact[]): TranscriptBuilder {
  const transcript = new TranscriptBuilder();
  for (const event of log) transcript.add(event);
  return transcript;
}

/** The prompt of a step, from the log alone. */
function promptOf(prompt: string, stepId: string, log: readonly RecordedFact[]): string {
  const transcript = transcriptOf(log);
  const { state } = given(...log.map((event) => event.fact));
  const bindings = state.run?.steps[stepId]?.bindings ?? {};
  return resolvePrompt(prompt, bindings, (output) => outputText(output, (at) => transcript.textAt(at)));
}

describe('a placeholder', () => {
  test('is named by letters, digits and _ in braces, each once', () => {
    expect(placeholdersOf('{a} {b_2}{a} { c } {} {d-e} {{f}}')).toEqual(['a', 'b_2', 'f']);
  });

  test('is bound when its step starts, by the revision of what was said; one that nothing has written is noted', () => {
    const agent = sequence('First.', 'See {k0}, {k9} and {k0}.');
    const next = given(opened, said('go', { agent })).when(answers({ text: 'One.', step: 'root/0' }, { agent }));
    next
      .thenFacts(
        'modelResponded',
        ['stateSet', { key: 'k0' }],
        ['stepFinished', { stepId: 'root/0' }],
        [
          'stepStarted',
          {
            stepId: 'root/1',
            outputKey: 'k1',
            bindings: [{ key: 'k0', value: { parts: [{ answerRevision: 6, text: '' }] } }],
            unresolvedPlaceholders: ['k9'],
          },
        ],
      )
      .thenOwes({ kind: 'model', id: 'root/1#1', bindings: { k0: [{ revision: 6 }] } });
  });

  test('stands for what is written before its step in the log, not for what another branch writes in the same append', () => {
    const agent = agentOf({
      type: 'parallel',
      name: 'both',
      onError: 'fail',
      children: [
        { type: 'loop', name: 'writer', iterationsMax: 1, outputKey: 'k', children: [llm({ name: 'a' })] },
        { type: 'sequential', name: 'reader', children: [llm({ name: 'b' }), llm({ name: 'c', prompt: 'See {k}.' })] },
      ],
    });
    const both = [
      modelAnswered({ text: 'A.', step: 'root/0[1]/0', turn: 1 }),
      modelAnswered({ text: 'B.', step: 'root/1/0', turn: 1 }),
    ];
    given(opened, said('go', { agent }))
      .when(drives(both, { agent }))
      .thenFacts(
        'modelResponded',
        'modelResponded',
        ['stepFinished', { stepId: 'root/0[1]/0' }],
        ['stepFinished', { stepId: 'root/1/0' }],
        ['stepStarted', { stepId: 'root/1/1', bindings: [], unresolvedPlaceholders: ['k'] }],
        ['stateSet', { key: 'k' }],
        ['stepFinished', { stepId: 'root/0' }],
      );
  });

  test('stands for the same in every model call of its step, whatever is written meanwhile', () => {
    const prompt = 'Draft: {draft}';
    const agent = agentOf({
      type: 'loop',
      name: 'again',
      iterationsMax: 3,
      children: [
        {
          type: 'parallel',
          name: 'both',
          onError: 'fail',
          children: [llm({ prompt }), llm({ name: 'writer', outputKey: 'draft' })],
        },
      ],
    });
    const { log } = given(
      opened,
      said('go', { agent }),
      answered({ text: 'Read.', step: 'root[1]/0/0' }, { agent }),
      answered({ text: 'One.', step: 'root[1]/0/1' }, { agent }),
      answered({ text: 'Two.', step: 'root[2]/0/1' }, { agent }),
      answered({ calls: [call('list')], step: 'root[2]/0/0' }, { agent }),
      drove([returns('root[2]/0/0#1.0')], { agent }),
    );
    expect(given(...log.map((event) => event.fact)).state.run?.sessionState.draft).toEqual([{ revision: 17 }]);
    expect(promptOf(prompt, 'root[2]/0/0', log)).toBe('Draft: One.');
  });

  test('of a key that was written with nothing in it becomes nothing', () => {
    const agent = sequence('First.', '[{k0}]');
    const { log } = given(opened, said('go', { agent }), answered({ text: '', step: 'root/0' }, { agent }));
    expect(promptOf('[{k0}]', 'root/1', log)).toBe('[]');
  });

  test('called as something that every object has stays as it is, and what is put in is not looked at again', () => {
    const agent = sequence('First.', '{constructor} {__proto__} {k0}');
    const { log } = given(
      opened,
      said('go', { agent }),
      answered({ text: '{k0} {other} $& $1', step: 'root/0' }, { agent }),
    );
    expect(promptOf('{constructor} {__proto__} {k0}', 'root/1', log)).toBe(
      '{constructor} {__proto__} {k0} {other} $& $1',
    );
  });

  test('of an agent that is one node stays, and is noted', () => {
    given(opened)
      .when(says('go', { agent: agentOf(llm({ prompt: 'Be {adjective}.' })) }))
      .thenFacts(
        'userMessageReceived',
        ['runStarted', { pipeline: false }],
        ['stepStarted', { bindings: [], unresolvedPlaceholders: ['adjective'] }],
      );
  });
});

describe('a node of a tree is told', () => {
  const agent = sequence('First.', 'Second.');
  const turn = (run: string, text: string, answer: string): Happening[] => [
    said(text, { agent, runId: run }),
    answered({ text: 'noted', step: 'root/0' }, { agent }),
    answered({ text: answer, step: 'root/1' }, { agent }),
  ];
  const toldOf = (...happenings: readonly Happening[]): readonly PromptMessage[] => {
    const last = said('and now?', { agent, runId: 'last' });
    const { log } = given(opened, ...happenings, last, answered({ text: 'mine', step: 'root/0' }, { agent }));
    return promptMessages(transcriptOf(log), { kind: 'step', runId: 'last', stepId: 'root/0' });
  };

  test('the message, and what it said itself; of earlier turns the message and the answer alone', () => {
    expect(toldOf(...turn('run-1', 'hello', 'Hi.'))).toMatchObject([
      { role: 'user', text: 'hello' },
      { role: 'assistant', text: 'Hi.', calls: [] },
      { role: 'user', text: 'and now?' },
      { role: 'assistant', text: 'mine' },
    ]);
    expect(toldOf(...turn('run-1', 'hello', 'Hi.'))).toHaveLength(4);
  });

  test('nothing of what other nodes say', () => {
    const both = agentOf({ type: 'parallel', name: 'both', onError: 'fail', children: [llm(), llm()] });
    const { log } = given(
      opened,
      said('go', { agent: both, runId: 'last' }),
      answered({ text: 'Mine.', calls: [call('list')], step: 'root/0' }, { agent: both }),
      answered({ text: 'Theirs.', calls: [call('list')], step: 'root/1' }, { agent: both }),
      drove([returns('root/0#1.0', 'three'), returns('root/1#1.0', 'four')], { agent: both }),
    );
    expect(promptMessages(transcriptOf(log), { kind: 'step', runId: 'last', stepId: 'root/0' })).toMatchObject([
      { role: 'user', text: 'go' },
      { role: 'assistant', text: 'Mine.' },
      { role: 'tool', results: [{ callId: 'last root/0#1.0', content: 'three' }] },
    ]);
  });

  test('the last turns only, and none that does not fit', () => {
    const many = Array.from({ length: earlierTurnsMax + 3 }, (_, index) => turn(`run-${index}`, `m${index}`, 'ok'));
    const told = toldOf(...many.flat());
    expect(told).toHaveLength(2 * earlierTurnsMax + 2);
    expect(told[0]).toMatchObject({ text: 'm3' });
    const long = 'x'.repeat(earlierTurnsBytesMax / 2);
    const fits = toldOf(...turn('a', 'old', long), ...turn('b', 'long', long), ...turn('c', 'short', 'ok'));
    expect(fits.map((one) => ('text' in one ? one.text.slice(0, 8) : ''))).toEqual([
      'long',
      'xxxxxxxx',
      'short',
      'ok',
      'and now?',
      'mine',
    ]);
  });
});
