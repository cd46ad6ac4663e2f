import { create } from '@bufbuild/protobuf';
import type { Json } from '@stopgo/core';
import { facts, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { answersAmong, askInputAgain, type Part, TaskState, taskAfter, textPart } from '../src/index.ts';
import { inputParts, inputWordsIn } from '../src/input-message.ts';
import { agentMessage, dataPart } from '../src/parts.ts';

const id = '11111111-1111-4111-8111-111111111111';
const other = '22222222-2222-4222-8222-222222222222';

const asking = (schema: object, url = '') =>
  create(views.PendingInputSchema, { id, schemaJson: url === '' ? JSON.stringify(schema) : '', url });
const text = { type: 'object', properties: { account: { type: 'string' } } };
const choice = { type: 'object', properties: { sure: { type: 'string', enum: ['yes', 'no'] } } };
const form = { type: 'object', properties: { account: { type: 'string' }, amount: { type: 'number' } } };

const saidTo = (input: views.PendingInput, words: string) =>
  answersAmong(
    inputWordsIn(agentMessage({ id: 'm', taskId: 't', contextId: 'c', parts: [textPart(words)] })),
    [input],
    true,
  );
const plain = (action: string, contentJson = '') => [{ inputId: id, action, contentJson, isNamed: false }];

describe('words to the one question that waits', () => {
  test.each(['savings', 'no idea', 'Yes, that one'])('are the value that is asked for: %j', (words) => {
    expect(saidTo(asking(text), words)).toEqual(plain('accept', JSON.stringify({ account: words })));
  });

  test.each(['rejected', 'no', 'Denied', 'decline'])('that say no are no value, and decline: %j', (words) => {
    for (const input of [asking(text), asking(form), asking({}, 'https://pay.example/')])
      expect(saidTo(input, words)).toEqual(plain('decline'));
  });

  test.each(['approved', 'yes', 'OK'])('that say yes are no value, but open an address: %j', (words) => {
    for (const input of [asking(text), asking(form)]) expect(saidTo(input, words)).toEqual([]);
    expect(saidTo(asking({}, 'https://pay.example/'), words)).toEqual(plain('accept'));
  });

  test('that are one of its choices are that choice', () => {
    for (const words of ['yes', 'no'])
      expect(saidTo(asking(choice), words)).toEqual(plain('accept', JSON.stringify({ sure: words })));
  });
});

test('a line that rejects an approval is no answer to a question', () => {
  expect(saidTo(asking(form), `cancel ${other}`)).toEqual([]);
  expect(saidTo(asking(form), `cancel ${id}`)).toEqual([
    { inputId: id, action: 'cancel', contentJson: '', isNamed: true },
  ]);
});

test.each([views.RunStatus.WAITING, views.RunStatus.WORKING])(
  'a task that was taken over, or answered in part, is told of as one that waits: %s',
  (status) => {
    const shown = (pendingInputs: views.PendingInput[]) => {
      const run = create(views.RunSchema, { id: other, status });
      const head = create(views.ConversationHeadSchema, { id, revision: 9, run, pendingInputs });
      return taskAfter({ head, approvals: [] }, 9, TaskState.TASK_STATE_WORKING).status;
    };
    expect(shown([asking(text)])).toMatchObject({ state: TaskState.TASK_STATE_INPUT_REQUIRED });
    expect(JSON.stringify(shown([asking(text)])?.message)).toContain(id);
    expect(shown([])).toMatchObject({ state: TaskState.TASK_STATE_WORKING });
  },
);

describe('values that a data part holds', () => {
  const given = (amount: number | string) => {
    const parts = [dataPart({ input_id: id, action: 'accept', content: { amount } })];
    return answersAmong(
      inputWordsIn(agentMessage({ id: 'm', taskId: 't', contextId: 'c', parts })),
      [asking(form)],
      true,
    );
  };

  test.each([1.5, -7, Number.MAX_SAFE_INTEGER, '9007199254740993'])('are taken as they are: %j', (amount) => {
    expect(given(amount)).toMatchObject([{ action: 'accept', contentJson: JSON.stringify({ amount }) }]);
  });

  test.each([2 ** 53, -(2 ** 60), 1e21])('are refused where a number may have been rounded: %j', (amount) => {
    expect(() => given(amount)).toThrow(
      `the answer to ${id} cannot be taken: the number at content/amount is beyond 9007199254740991 and may have been rounded; write it as a text`,
    );
  });
});

describe('a file', () => {
  const file = { name: 'a.csv', mediaType: 'text/csv', bytes: Buffer.from('item') };
  const part: Part = {
    ...{ content: { $case: 'raw', value: file.bytes }, metadata: undefined },
    ...{ filename: file.name, mediaType: file.mediaType },
  };
  const fileAsked = create(views.PendingInputSchema, { id, type: facts.InputType.FILE, agent: 'reader' });
  const accepts = (inputId: string, content?: object) =>
    dataPart({ input_id: inputId, action: 'accept', ...(content === undefined ? {} : { content: content as Json }) });
  const given = (parts: readonly Part[], pending = [fileAsked], isAlone = true) =>
    answersAmong(
      inputWordsIn(agentMessage({ id: 'm', taskId: 't', contextId: 'c', parts: [...parts, part] })),
      pending,
      isAlone,
    );
  const named = { inputId: id, action: 'accept', contentJson: '', file, isNamed: true };

  test('alone, or with words, answers the one question that waits, if that asks for a file', () => {
    expect(given([])).toEqual([{ ...named, isNamed: false }]);
    expect(given([textPart('Here it is.')])).toEqual([{ ...named, isNamed: false }]);
    expect(given([], [fileAsked], false)).toEqual([]);
    expect(given([], [asking(form)])).toEqual([]);
    expect(given([], [fileAsked, create(views.PendingInputSchema, { id: other })])).toEqual([]);
  });

  test('belongs to the answer that accepts without values, also once nothing waits any more', () => {
    expect(given([accepts(id)])).toEqual([named]);
    expect(given([textPart(`accept ${id}`)])).toEqual([named]);
    expect(given([accepts(id)], [])).toEqual([named]);
    const values = { inputId: other, action: 'accept', contentJson: '{"account":"a"}', isNamed: true };
    expect(given([accepts(id), accepts(other, { account: 'a' })])).toEqual([named, values]);
    const opened = { inputId: other, action: 'accept', contentJson: '', isNamed: true };
    expect(given([accepts(other), accepts(id)])).toEqual([opened, named]);
  });

  test.each<[string, Part[], views.PendingInput[]]>([
    ['a no', [textPart('no')], [fileAsked]],
    ['a decline in data', [dataPart({ input_id: id, action: 'decline' })], [fileAsked]],
    ['values only', [accepts(id, { account: 'a' })], [fileAsked]],
    ['a text that is the answer', [textPart('savings')], [asking(text)]],
    ['two answers that may have it', [accepts(id), accepts(other)], []],
    [
      'two answers to questions that ask for one each',
      [accepts(id), accepts(other)],
      [fileAsked, create(views.PendingInputSchema, { id: other, type: facts.InputType.FILE })],
    ],
  ])('beside %s is refused: nothing says what it answers', (_, parts, pending) => {
    expect(() => given(parts, pending)).toThrow('does not say which question it answers');
  });

  test('is asked for in words and in data, and asked for again', () => {
    const shown = JSON.stringify(inputParts([fileAsked]));
    expect(shown).toContain('It wants a file.');
    expect(shown).toContain('"mode":"file"');
    expect(shown).not.toContain('requested_schema');
    expect(JSON.stringify(askInputAgain([fileAsked]))).toContain('and the file as a part with its bytes');
  });
});
