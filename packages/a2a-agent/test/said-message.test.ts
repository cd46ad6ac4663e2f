import { approvals } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import {
  ContentTypeNotSupportedError,
  type FirstMessage,
  type FollowUp,
  type Message,
  type Part,
  RequestMalformedError,
  resultOf,
  TaskNotFoundError,
  textPart,
} from '../src/index.ts';
import { dataPart } from '../src/parts.ts';
import { PushNotificationNotSupportedError, Role } from '../src/protocol.ts';
import { type MessageRules, readMessage } from '../src/request/said-message.ts';

const TASK = '7D1F3C1E-5B0A-4C55-9A3E-0F7C2F1F9B1D';
const APPROVAL = '11111111-1111-4111-8111-111111111111';

const rules: MessageRules = { dialect: '1.0', messageBytesMax: 1_000, tellsOfTasks: true };
const message = (parts: Part[], more: Partial<Message> = {}): Message => ({
  ...{ messageId: 'm-1', contextId: '', taskId: '', role: Role.ROLE_USER, parts },
  ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
  ...more,
});
const read = (said: Message | undefined, more: Partial<MessageRules> = {}, push?: { url: string }) => {
  const config = push && { tenant: '', taskId: '', id: '', token: '', authentication: undefined, ...push };
  const configuration = config && {
    ...{ acceptedOutputModes: [], returnImmediately: false, historyLength: undefined },
    taskPushNotificationConfig: config,
  };
  const request = { tenant: '', message: said, configuration, metadata: undefined };
  return readMessage(request, { ...rules, ...more });
};
const odd = (value: unknown): Part => ({ ...dataPart(null), content: { $case: 'data', value } });

describe('a message', () => {
  test('without a task is the first one, with what is said to the agent', () => {
    const said = read(message([textPart('hello'), dataPart({ b: 1, a: null })], { contextId: 'c' }), {}, { url: 'u' });
    expect(said).toMatchObject({ kind: 'first', text: 'hello\n{"b":1,"a":null}', contextId: 'c', messageId: 'm-1' });
    expect(said.push).toMatchObject({ url: 'u', scheme: '', protocolVersion: '1.0' });
  });

  test('to a task has read what its words can mean, whatever waits there', () => {
    const said = read(message([textPart(`yes ${APPROVAL}`)], { taskId: TASK })) as FollowUp;
    expect(said.task).toEqual({ id: TASK.toLowerCase(), asWritten: TASK });
    const decision = { kind: approvals.DecisionKind.APPROVE };
    expect(resultOf(said.decisions)).toEqual([{ approvalId: APPROVAL, decision }]);
    expect(resultOf(said.inputs)).toEqual({ data: [], lines: [undefined], text: `yes ${APPROVAL}`, file: undefined });
  });

  test('without a task decides nothing, so that nothing of that is read', () => {
    const twice = message([textPart('see'), dataPart({ approval_id: APPROVAL, decision: 'perhaps' })]);
    expect(read(twice)).toMatchObject({ kind: 'first', text: expect.stringContaining('perhaps') });
  });
});

describe('is refused by the first thing that is wrong with it', () => {
  const hello = [textPart('hello')];
  const file: Part = { ...textPart(''), content: { $case: 'url', value: 'https://example.com/' } };
  test.each<[string, Message | undefined, Partial<MessageRules>]>([
    ['message is missing', undefined, {}],
    ['message.messageId is missing', message([], { messageId: '', role: Role.ROLE_AGENT }), {}],
    ['message.role is of the agent', message([], { role: Role.ROLE_AGENT }), {}],
    ['message.parts must hold at least one part', message([], { taskId: 'none' }), {}],
    ['a part must hold text or data', message([{ ...textPart(''), content: undefined }]), {}],
    ['this agent reads text and data, no files', message([file]), {}],
    ['the message is larger than 4 bytes', message(hello, { taskId: 'none' }), { messageBytesMax: 4 }],
    ['Task not found: none', message(hello, { taskId: 'none' }), {}],
    ['the message says nothing', message([textPart(' ')]), {}],
  ])('%s', (problem, said, more) => {
    expect(() => read(said, more)).toThrow(problem);
  });

  test('it brings an address to an agent that tells none, before its task is looked at', () => {
    const asked = () => read(message(hello, { taskId: 'none' }), { tellsOfTasks: false }, { url: 'u' });
    expect(asked).toThrow(PushNotificationNotSupportedError);
    expect(() => read(message(hello, { taskId: 'none' }))).toThrow(TaskNotFoundError);
  });

  test('an id is not asked of the legacy dialect', () => {
    expect(read(message(hello, { messageId: '' }), { dialect: 'legacy' }).messageId).toBe('');
  });
});

describe('what is wrong with what it says to a task is told once that is found', () => {
  test('a decision that cannot be read', () => {
    const said = read(
      message([dataPart({ approval_id: APPROVAL, decision: 'perhaps' })], { taskId: TASK }),
    ) as FollowUp;
    expect(() => resultOf(said.decisions)).toThrow('the decision cannot be read');
    expect(resultOf(said.inputs).data).toEqual([]);
  });

  test('an answer that cannot be read', () => {
    const said = read(message([dataPart({ input_id: APPROVAL, action: 'perhaps' })], { taskId: TASK })) as FollowUp;
    expect(() => resultOf(said.inputs)).toThrow('cannot be read');
    expect(resultOf(said.decisions)).toEqual([]);
  });

  test.each([{}, { taskId: TASK }])('what JSON cannot say beside it: %j', (more) => {
    const said = read(message([textPart('hello')], { ...more, metadata: { value: Number.NaN } }));
    expect(() => resultOf(said.digest)).toThrow('the message cannot be read: ');
  });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, { sum: [Number.NEGATIVE_INFINITY] }, { '\ud800': 1 }])(
  'what JSON cannot say is the fault of whoever sent it: %j',
  (value) => {
    expect(() => read(message([odd(value)]))).toThrow(RequestMalformedError);
    expect(() => read(message([odd(value)], { taskId: TASK }))).toThrow(RequestMalformedError);
  },
);

test('the digest is of what is said, not of its id or its task', () => {
  const [one, other, otherWords] = [
    read(message([textPart('hello')])),
    read(message([textPart('hello')], { messageId: 'm-2', taskId: TASK })),
    read(message([textPart('hello!')])),
  ] as [FirstMessage, FollowUp, FirstMessage];
  expect(resultOf(other.digest)).toBe(resultOf(one.digest));
  expect(resultOf(otherWords.digest)).not.toBe(resultOf(one.digest));
});

describe('a file', () => {
  const part = (bytes: string, filename = 'a.csv', mediaType = 'text/csv'): Part => ({
    ...{ metadata: undefined, filename, mediaType },
    content: { $case: 'raw', value: Buffer.from(bytes) },
  });
  const address: Part = { ...textPart(''), content: { $case: 'url', value: 'https://example.com/a.csv' } };
  const takes = { takesFiles: true };

  test('in a message to a task is read, and is nothing that is said to the agent', () => {
    const said = read(message([textPart('Here.'), part('item')], { taskId: TASK }), takes) as FollowUp;
    expect(said.text).toBe('Here.');
    expect(resultOf(said.inputs).file).toEqual({ name: 'a.csv', mediaType: 'text/csv', bytes: Buffer.from('item') });
  });

  test.each<[string, Message, Partial<MessageRules>]>([
    ['takes files only as answers', message([textPart('Read this.'), part('item')]), takes],
    ['fetches no files from addresses', message([address], { taskId: TASK }), takes],
    ['fetches no files from addresses', message([address]), takes],
    ['reads text and data, no files', message([part('item')], { taskId: TASK }), {}],
  ])('is refused where it is not taken: %s', (problem, said, more) => {
    expect(() => read(said, more)).toThrow(problem);
    expect(() => read(said, more)).toThrow(ContentTypeNotSupportedError);
  });

  test('is one: of two it would not be known what they answer', () => {
    const said = read(message([part('item'), part('other')], { taskId: TASK }), takes) as FollowUp;
    expect(() => resultOf(said.inputs)).toThrow('more than one file');
  });

  test('is what is said: other bytes, another name or type say something else', () => {
    const digest = (one: Part) => resultOf(read(message([one], { taskId: TASK }), takes).digest);
    const [first, ...others] = [part('item'), part('itex'), part('item', 'b.csv'), part('item', 'a.csv', 'text/plain')];
    expect(digest(part('item'))).toBe(digest(first as Part));
    for (const one of others) expect(digest(one)).not.toBe(digest(first as Part));
  });
});
