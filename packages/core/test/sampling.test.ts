import {
  type ConversationState,
  evolveTrace,
  project,
  provideInput,
  type RunTrace,
  runStanding,
  samplingProblem,
  samplingResult,
  serverQuestions,
} from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { samplingAnswerBytesMax } from '../src/text/bounds.ts';
import { by, given } from './specification.ts';
import {
  answered,
  call,
  drives,
  drove,
  modelAnswers,
  opened,
  provides,
  said,
  samplingAsked,
  samplingQuestion,
  serverAsks,
  serverQuestion,
  starts,
  unknown,
} from './story.ts';

/** What tool servers have the agent's model asked in the midst of calls. */
const id = 'root#1.0';
const underWay = [opened, said('note it'), answered({ calls: [call('note')] }), drove([starts(id)])];
const sampling = [...underWay, drove([serverAsks(id, [samplingQuestion()])])];

const idOf = (state: ConversationState): string => serverQuestions(state.run)[0]?.id ?? '';
const inputId = idOf(given(...sampling).state);

describe('a call in the midst of which its server has a model asked', () => {
  test('has all that the model is told on the record', () =>
    given(...underWay)
      .when(drives([serverAsks(id, [samplingQuestion()])]))
      .thenFacts([
        'inputRequested',
        {
          callId: id,
          kind: 3,
          serverQuestion: { id: 's-1', attempt: 1, server: 'resources', sampling: samplingAsked },
        },
      ])
      .thenOwes({ kind: 'recover', id, attempt: 1 }));

  test('is worked on, and asks nobody', () => {
    const { state, log } = given(...sampling);
    expect(runStanding(state)).toBe('working');
    const none = { messagesAt: () => [], approval: () => undefined };
    expect(project(given().state, log, none).head.pendingInputs).toEqual([]);
    for (const action of ['accept', 'decline'] as const)
      given(...sampling)
        .when((now) => provideInput(now, { now: 0, inputId, action, contentJson: '' }))
        .thenRefused({ kind: 'unknown' });
    // Also while people are asked in the midst of the same call.
    const both = given(...underWay, drove([serverAsks(id, [samplingQuestion(), serverQuestion()])]));
    expect(runStanding(both.state)).toBe('working');
  });

  test('keeps no text of it in the state', () =>
    expect(JSON.stringify(given(...sampling).state)).not.toContain('Say hello.'));

  test('has one answer on the record, with what it took, and then no other', () => {
    given(...sampling)
      .when(drives([modelAnswers(inputId)]))
      .thenFacts([
        'inputProvided',
        {
          inputId,
          action: 1,
          contentJson: '{"role":"assistant"}',
          sampling: { model: 'm-1', usage: { outputTokens: 3 }, error: '' },
        },
      ]);
    const done = [...sampling, drove([modelAnswers(inputId)])];
    given(...done)
      .when(drives([modelAnswers(inputId, '{"other":1}')]))
      .thenNothing();
    // Whoever is told of it again asks no model again.
    given(...done)
      .when(drives([serverAsks(id, [samplingQuestion()])]))
      .thenNothing();
    expect(given(...done).state.run?.settledInputs?.[inputId]).toMatchObject({ questionId: 's-1', how: 'accept' });
  });

  test('has it on the record that there is no answer, and why', () =>
    given(...sampling)
      .when(drives([modelAnswers(inputId, '', 'the model is away')]))
      .thenFacts(['inputProvided', { action: 3, contentJson: '', sampling: { error: 'the model is away' } }]));

  test('takes no answer of a model to what people are asked, nor of people to this', () => {
    const people = [...underWay, drove([serverAsks(id)])];
    given(...people)
      .when(drives([modelAnswers(idOf(given(...people).state))]))
      .thenNothing();
    given(...people, by('ada', provides(id, 'decline')))
      .when(drives([modelAnswers(idOf(given(...people).state))]))
      .thenNothing();
  });

  test('takes it with it when it ends', () =>
    given(...sampling)
      .when(drives([unknown(id)]))
      .thenFacts(['inputWithdrawn', { inputId }], 'toolCallInDoubt', 'approvalRequested', 'runReleased'));

  test('asks nothing that is too much', () =>
    given(...underWay)
      .when(drives([serverAsks(id, [samplingQuestion('s-1', { ...samplingAsked, systemPrompt: 'x'.repeat(65_536) })])]))
      .thenNothing());

  test('counts what the model took for its node', () => {
    const { log } = given(...sampling, drove([modelAnswers(inputId)]));
    const trace = log.reduce<RunTrace | undefined>(evolveTrace, undefined);
    const before = given(...sampling).log.reduce<RunTrace | undefined>(evolveTrace, undefined);
    const tokens = ({ nodes }: RunTrace = { nodes: {} } as RunTrace) => nodes['']?.outputTokens ?? 0;
    expect(tokens(trace) - tokens(before)).toBe(3);
  });
});

describe('the answer to a server', () => {
  const result = (text: string, stopReason = 'STOP', stopSequences: readonly string[] = []) =>
    JSON.parse(samplingResult({ ...samplingAsked, stopSequences }, { text, stopReason, model: 'm-1' })) as {
      readonly content: { readonly text: string };
    };

  test.each([
    ['STOP', 'endTurn'],
    ['end_turn', 'endTurn'],
    ['length', 'maxTokens'],
    ['MAX_TOKENS', 'maxTokens'],
    ['content_filter', 'content_filter'],
  ])('says %s as %s', (stopReason, told) =>
    expect(result('Hello.', stopReason)).toEqual({
      role: 'assistant',
      content: { type: 'text', text: 'Hello.' },
      model: 'm-1',
      stopReason: told,
    }),
  );

  test('ends before the first stop sequence', () => {
    expect(result('One. Two. END Three.', 'STOP', ['END', 'Two', ''])).toMatchObject({
      content: { text: 'One. ' },
      stopReason: 'stopSequence',
    });
    expect(result('One.', 'STOP', ['END'])).toMatchObject({ content: { text: 'One.' }, stopReason: 'endTurn' });
  });

  test('is bounded, and says that there was more', () => {
    const { content, ...rest } = result('é'.repeat(samplingAnswerBytesMax));
    expect([Buffer.byteLength(content.text), content.text.at(-1)]).toEqual([samplingAnswerBytesMax, 'é']);
    expect(rest).toMatchObject({ stopReason: 'maxTokens' });
  });
});

test.each([
  ['the last message', { messages: [...samplingAsked.messages, { byModel: true, text: 'Hello' }] }],
  ['the last message', { messages: [] }],
  ['more than 64 messages', { messages: Array(65).fill(samplingAsked.messages[0]) }],
  ['maxTokens', { maxTokens: Number.NaN }],
  ['stop sequences', { stopSequences: Array(17).fill('x') }],
  ['65548 bytes', { messages: [{ byModel: false, text: 'é'.repeat(32_770) }] }],
])('a request is refused for %s', (words, more) => {
  expect(samplingProblem(samplingAsked)).toBeUndefined();
  expect(samplingProblem({ ...samplingAsked, ...more })).toContain(words);
});
