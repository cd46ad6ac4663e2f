import { create } from '@bufbuild/protobuf';
import { views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { answersAmong, TaskState, taskAfter, textPart } from '../src/index.ts';
import { inputWordsIn } from '../src/input-message.ts';
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
