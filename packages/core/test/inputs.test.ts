import {
  type ConversationState,
  project,
  provideInput,
  questionProblem,
  runStanding,
  serverQuestions,
} from '@stopgo/core';
import { describe, expect, test } from 'vitest';
import { answerProblem } from '../src/calls/asked-values.ts';
import { inputsPendingMax } from '../src/text/bounds.ts';
import { by, dawn, given, type Happening } from './specification.ts';
import {
  answered,
  bridge,
  call,
  canceled,
  drives,
  drove,
  me,
  notStarted,
  opened,
  provides,
  returns,
  said,
  serverAsks,
  serverQuestion,
  starts,
  takesOver,
  unknown,
} from './story.ts';

/** What tool servers ask people in the midst of calls. */
const id = 'root#1.0';
const underWay = [opened, said('note it'), answered({ calls: [call('note')] }), drove([starts(id)])];
const asking = [...underWay, drove([serverAsks(id)])];
const three = '{"amount":3}';

const inputOf = (state: ConversationState, index = 0): string => serverQuestions(state.run)[index]?.id ?? '';
const answersWith =
  (contentJson: string, action: 'accept' | 'decline' | 'cancel' = 'accept') =>
  (state: ConversationState) =>
    provideInput(state, { now: 0, inputId: inputOf(state), action, contentJson });

describe('a call in the midst of which its server asks', () => {
  test('has the question put on the record, with what it asks and where the answer goes', () =>
    given(...underWay)
      .when(drives([serverAsks(id)]))
      .thenFacts([
        'inputRequested',
        {
          callId: id,
          prompt: 'How many?',
          serverQuestion: { id: 'q-1', attempt: 1, bridgeInstance: bridge, server: 'resources', tool: 'note' },
        },
      ])
      .thenOwes({ kind: 'recover', id, attempt: 1 }));

  test('has each question on the record once, whoever tells of it', () => {
    given(...asking)
      .when(drives([serverAsks(id)]))
      .thenNothing();
    given(...asking, by('ada', provides(id, 'accept', three)))
      .when(drives([serverAsks(id)]))
      .thenNothing();
    given(...asking, drove(takesOver()))
      .when(drives([serverAsks(id)]))
      .thenNothing();
  });

  test('waits for people, and stays owned, so that whatever becomes of it is learnt', () => {
    const { state } = given(...asking);
    expect(runStanding(state)).toBe('waiting');
    expect(state.run?.owner).not.toBeNull();
    expect(runStanding(given(...underWay).state)).toBe('working');
    expect(runStanding(given(...asking, by('ada', provides(id, 'decline'))).state)).toBe('working');
  });

  test('is not what the run waits for while something else is to be done, but for what may have to wait behind it', () => {
    const both = [opened, said('note both'), answered({ calls: [call('note'), call('note')] })];
    for (const more of [[starts(id)], [starts(id), starts('root#1.1')]]) {
      const { state } = given(...both, drove(more), drove([serverAsks(id)]));
      expect(runStanding(state)).toBe('waiting');
      const { run } = state;
      const other = run?.calls['root#1.1'];
      if (run === null || other === undefined) throw new Error('the run has no second call');
      const calls = { ...run.calls, 'root#1.1': { ...other, target: { kind: 'tool', server: 'elsewhere' } as const } };
      expect(runStanding({ ...state, run: { ...run, calls } })).toBe('working');
    }
  });

  test('shows in the head what it asks, and nothing of it once that is over', () => {
    const head = (...more: Happening[]) => {
      const { log } = given(...asking, ...more);
      const none = { messagesAt: () => [], approval: () => undefined };
      return project(given().state, log, none).head;
    };
    expect(head().pendingInputs).toMatchObject([
      { callId: id, server: 'resources', tool: 'note', message: 'How many?' },
    ]);
    expect(head(by('ada', provides(id, 'cancel'))).pendingInputs).toEqual([]);
    expect(head(drove([unknown(id)])).pendingInputs).toEqual([]);
  });

  test('may have been made by a call that is safe to repeat, and is not on the record', () =>
    given(opened, said('what is there?'), answered({ calls: [call('list')] }))
      .when(drives([serverAsks(id)]))
      .thenFacts('inputRequested')
      .thenOwes({ kind: 'call', id, attempt: 1 }));

  test('asks nothing for another attempt, nor once it is over', () => {
    given(...underWay)
      .when(drives([serverAsks(id, [serverQuestion()], 2)]))
      .thenNothing();
    given(...underWay, drove([returns(id)]))
      .when(drives([serverAsks(id)]))
      .thenNothing();
    given(...underWay, drove([unknown(id)]))
      .when(drives([serverAsks(id)]))
      .thenNothing();
  });

  test('asks at most so much at once', () => {
    const many = Array.from({ length: inputsPendingMax + 3 }, (_, index) => serverQuestion(`q-${index}`));
    const { state } = given(...underWay, drove([serverAsks(id, many)]));
    expect(serverQuestions(state.run)).toHaveLength(inputsPendingMax);
  });
});

describe('an answer', () => {
  test('is taken once, and what the call comes to is awaited as before', () => {
    const taken = given(...asking).when(answersWith(three));
    taken.thenFacts(['inputProvided', { action: 1, contentJson: three }]);
    const [before] = serverQuestions(given(...asking).state.run);
    const after = given(...asking, by('ada', provides(id, 'accept', three)));
    after
      .when((state) => provideInput(state, { now: 0, inputId: before?.id ?? '', action: 'decline', contentJson: '' }))
      .thenRefused({ kind: 'settled', input: { how: 'accept', by: 'ada', at: dawn + 8_000 } });
    after.when(drives([returns(id, 'noted 3')])).thenFacts('toolCallFinished');
  });

  test.each([
    ['what is not asked for', '{"amount":3,"more":1}', 'content: "more" is not asked for'],
    ['nothing', '{}', 'content.amount is required'],
    ['a text for a number', '{"amount":"3"}', 'content.amount: expected a whole number of at least 1'],
    ['too little', '{"amount":0}', 'content.amount: expected a whole number of at least 1'],
    ['half a one', '{"amount":1.5}', 'content.amount: expected a whole number of at least 1'],
    ['no object', '[3]', 'content: expected an object with the values that are asked for'],
    ['no JSON', '{"amount":', 'content: expected an object with the values that are asked for'],
  ])('that gives %s is refused, and the question stays open', (_, contentJson, problem) => {
    given(...asking)
      .when(answersWith(contentJson))
      .thenRefused({ kind: 'invalid', problem });
  });

  test('that declines brings no values', () => {
    given(...asking)
      .when(answersWith('', 'decline'))
      .thenFacts(['inputProvided', { action: 2, contentJson: '' }]);
    given(...asking)
      .when(answersWith(three, 'cancel'))
      .thenRefused({ kind: 'invalid' });
  });

  test('to an address brings none either', () => {
    const visit = serverQuestion('q-1', { schemaJson: '', url: 'https://pay.example/1' });
    const story = [...underWay, drove([serverAsks(id, [visit])])];
    given(...story)
      .when(answersWith(''))
      .thenFacts(['inputProvided', { action: 1, contentJson: '' }]);
    given(...story)
      .when(answersWith(three))
      .thenRefused({ kind: 'invalid' });
  });

  test.each([
    ['its call is in doubt', drove([unknown(id)]), 'the call is in doubt: the tool server died'],
    ['its call has ended', drove([returns(id)]), 'the call has ended'],
    ['its call has failed', drove([returns(id, 'no', 1, true)]), 'the call has failed'],
    ['its call did not run', drove([notStarted(id)]), 'the call did not run'],
    [
      'its server asks it no more',
      drove([serverAsks(id, [])]),
      'the server resources does not wait for the answer any more',
    ],
    [
      'its bridge asks anew what is still waited for',
      drove([serverAsks(id, [], 1, ['q-1'])]),
      'the tool bridge was out of touch, and gives no answer to this on: what the server still waits for is asked anew',
    ],
    ['its time is over', drove([serverAsks(id, [])], { now: dawn + 60_000 }), 'nobody answered in time'],
  ])('that comes when %s is told so', (_, happening, reason) => {
    const before = given(...asking).state;
    given(...asking, happening)
      .when((state) => provideInput(state, { now: 0, inputId: inputOf(before), action: 'accept', contentJson: three }))
      .thenRefused({ kind: 'settled', input: { how: 'withdrawn', reason } });
  });

  test('to what another run asked, or nobody, finds no question', () => {
    const before = given(...asking).state;
    for (const story of [[...asking, canceled, said('and now?')], underWay, [opened]])
      given(...story)
        .when((state) =>
          provideInput(state, { now: 0, inputId: inputOf(before), action: 'accept', contentJson: three }),
        )
        .thenRefused({ kind: 'unknown' });
  });

  test('after the run has ended is told so', () =>
    given(...asking, canceled)
      .when((state) =>
        provideInput(state, { now: 0, inputId: inputOf(given(...asking).state), action: 'accept', contentJson: three }),
      )
      .thenRefused({ kind: 'settled', input: { how: 'withdrawn', reason: 'the run has ended' } }));

  test('is none to a wait for a token', () => {
    const story = [...underWay.slice(0, 3), drove([{ type: 'needToken', callId: id, prompt: 'Sign in.' }])];
    const { state } = given(...story);
    const [inputId = ''] = Object.keys(state.run?.interrupts ?? {});
    given(...story)
      .when((now) => provideInput(now, { now: 0, inputId, action: 'accept', contentJson: '' }))
      .thenRefused({ kind: 'token' });
  });

  test('that did not reach its server is told to have done nothing', () => {
    const story = [...asking, by('ada', provides(id, 'accept', three))];
    const inputId = inputOf(given(...asking).state);
    given(...story)
      .when(drives([{ type: 'answerLost', inputId }]))
      .thenFacts(['inputWithdrawn', { inputId, reason: expect.stringContaining('came too late') }]);
    given(...story)
      .when(drives([{ type: 'answerLost', inputId, isAskedAnew: true }]))
      .thenFacts(['inputWithdrawn', { inputId, reason: expect.stringContaining('asked anew') }]);
    given(...story, drove([{ type: 'answerLost', inputId }]))
      .when(drives([{ type: 'answerLost', inputId }]))
      .thenNothing();
  });
});

test('whoever takes the run over finds the call under way, and its question open', () =>
  given(...asking)
    .when(drives([{ type: 'claim', dead: [me] }], { me: { instance: 'other', epoch: 0 } }))
    .thenFacts('runClaimed')
    .thenOwes({ kind: 'recover', id, attempt: 1, bridge }));

describe('what a server may ask with', () => {
  const asked = (schema: object) => questionProblem({ message: 'What?', schemaJson: JSON.stringify(schema), url: '' });
  test('is an object of plain values', () => {
    expect(
      asked({ type: 'object', properties: { a: { type: 'array', items: { enum: ['x', 'y'] } } } }),
    ).toBeUndefined();
    expect(asked({ type: 'object', properties: { a: { type: 'object' } } })).toContain('"a" as no plain value');
    expect(asked({ type: 'array' })).toContain('not that of an object');
    expect(asked({ type: 'object', properties: {}, required: ['a'] })).toContain('requires "a"');
  });

  test('is an address that shows where it leads', () => {
    const at = (url: string) => questionProblem({ message: 'Pay.', schemaJson: '', url });
    expect(at('https://pay.example/1?x=2')).toBeUndefined();
    for (const url of [
      'javascript:alert(1)',
      'https://user@pay.example/',
      'file:///etc',
      `https://a/${'b'.repeat(3_000)}`,
    ])
      expect(at(url), url).toBeDefined();
  });

  test.each([
    [{ type: 'string', enum: ['x', 'y'] }, '"x"', '"z"'],
    [{ type: 'string', oneOf: [{ const: 'x', title: 'X' }] }, '"x"', '"X"'],
    [{ type: 'string', format: 'email' }, '"a@b.example"', '"a"'],
    [{ type: 'string', format: 'date' }, '"2026-02-28"', '"28.2.2026"'],
    [{ type: 'string', minLength: 2, maxLength: 3 }, '"ab"', '"abcd"'],
    [{ type: 'boolean' }, 'true', '"true"'],
    [{ type: 'number', maximum: 2 }, '1.5', '2.5'],
    [{ type: 'array', items: { anyOf: [{ const: 'x' }, { const: 'y' }] }, maxItems: 1 }, '["x"]', '["x","y"]'],
  ])('has %j answered with %s, not with %s', (property, good, bad) => {
    const schema = JSON.stringify({ type: 'object', properties: { a: property }, required: ['a'] });
    expect(answerProblem(schema, `{"a":${good}}`)).toBeUndefined();
    expect(answerProblem(schema, `{"a":${bad}}`)).toMatch(/^content\.a: expected /);
  });
});
