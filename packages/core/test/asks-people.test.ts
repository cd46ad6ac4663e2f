import { type BlobRef, isDue, nextDue, provideInput, runStanding } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { expect, test } from 'vitest';
import type { Policy } from '../src/policy/policy.ts';
import { answered, asked, drives } from './agents.ts';
import { rule } from './rules.ts';
import { dawn, given } from './specification.ts';
import { call, canceled, claim, happened, opened } from './story.ts';

const begun = [opened, asked('Cancel my order.')] as const;
const asks = (args: object) => call('request_user_input', { prompt: 'Approve the exception?', ...args });
const choices = ['Approve full refund', 'Offer store credit'];
const choosing = answered({ calls: [asks({ inputType: 'choice', choices })] });
const id = 'root#1.0';
const minuteMs = 60_000;

const waiting = (...calls: Parameters<typeof answered>[0]['calls'] & object) => given(...begun, answered({ calls }));
const inputOf = ({ state }: ReturnType<typeof given>) => Object.keys(state.run?.interrupts ?? {})[0] ?? '';
const says = (inputId: string, contentJson: string, action: 'accept' | 'decline' = 'accept') =>
  ({ inputId, action, contentJson, now: 5_000 }) as const;
const recorded = (story: ReturnType<typeof given>, name: string) =>
  story.log.flatMap(({ fact }) => (fact.case === name ? [fact.value] : []));

test('people are asked with the answer of the model, and the run waits until somebody answers', () => {
  const story = given(...begun, choosing);
  expect(story.log.slice(-3).map(({ fact }) => fact.case)).toEqual(['modelResponded', 'inputRequested', 'runReleased']);
  expect(recorded(story, 'inputRequested')).toMatchObject([
    {
      kind: facts.InputKind.REQUEST,
      callId: id,
      prompt: 'Approve the exception?',
      agentQuestion: { agent: 'support/tier1' },
    },
  ]);
  expect(runStanding(story.state)).toBe('waiting');
  const inputId = inputOf(story);
  const provided = happened((state) => provideInput(state, says(inputId, '{"answer":"Approve full refund"}')));
  const after = given(...begun, choosing, provided);
  expect(after.log.slice(-2).map(({ fact }) => fact)).toMatchObject([
    { case: 'inputProvided', value: { action: facts.InputAction.ACCEPT } },
    { case: 'toolCallFinished', value: { callId: id, content: 'Approve full refund', isError: false } },
  ]);
  given(...begun, choosing, provided)
    .when(drives([claim]))
    .thenFacts(['runClaimed', {}])
    .thenOwes({ kind: 'model', stepId: 'root', turn: 2 });
});

test('what is not among the choices is refused with what is; of two answers the first counts', () => {
  const story = given(...begun, choosing);
  const inputId = inputOf(story);
  expect(provideInput(story.state, says(inputId, '{"answer":"Deny"}'))).toMatchObject({
    kind: 'invalid',
    problem: 'content.answer: expected one of "Approve full refund", "Offer store credit"',
  });
  const after = given(
    ...begun,
    choosing,
    happened((state) => provideInput(state, says(inputId, '{"answer":"Offer store credit"}'))),
  );
  expect(provideInput(after.state, says(inputId, '{"answer":"Approve full refund"}'))).toMatchObject({
    kind: 'settled',
    input: { how: 'accept' },
  });
});

test.each([
  ['a text', {}, '{"answer":"It was late."}', 'It was late.'],
  ['a yes', { inputType: 'approval' }, '{"approved":true}', 'The user approved.'],
  ['a no', { inputType: 'approval' }, '{"approved":false}', 'The user did not approve.'],
  [
    'values',
    {
      inputType: 'structured_data',
      schema: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
    },
    '{"amount":3}',
    '{"amount":3}',
  ],
])('%s is the result of the call', (_, args, contentJson, content) => {
  const inputId = inputOf(waiting(asks(args)));
  given(...begun, answered({ calls: [asks(args)] }))
    .when((state) => provideInput(state, says(inputId, contentJson)))
    .thenFacts(['inputProvided', {}], ['toolCallFinished', { content, isError: false }]);
});

test.each([
  [true, 'The user declined to answer.'],
  [false, 'The user left this out; go on without it.'],
])('whoever declines what is required (%j) lets the agent know', (required, content) => {
  const calls = [asks({ required })];
  const inputId = inputOf(waiting(...calls));
  given(...begun, answered({ calls }))
    .when((state) => provideInput(state, says(inputId, '', 'decline')))
    .thenFacts(
      ['inputProvided', { action: facts.InputAction.DECLINE }],
      ['toolCallFinished', { content, isError: required }],
    );
});

test.each([
  [true, 'Nobody answered in time.'],
  [false, 'Nobody answered in time; go on without it.'],
])(
  'what nobody answers in time ends the call (required: %j), and an answer after that is told so',
  (required, content) => {
    const calls = [asks({ required, timeoutMinutes: 2 })];
    const story = waiting(...calls);
    const due = nextDue(story.state.run) ?? 0;
    expect([isDue(story.state.run, due - 1), isDue(story.state.run, due)]).toEqual([false, true]);
    expect(due - dawn).toBe(2 * minuteMs);
    given(...begun, answered({ calls }))
      .when(drives([claim], { now: due }))
      .thenFacts(
        ['runClaimed', {}],
        ['inputWithdrawn', { reason: 'nobody answered in time' }],
        ['toolCallFinished', { content, isError: required }],
      );
  },
);

test('arguments that cannot be taken are refused, and nobody is asked', () => {
  const story = waiting(
    asks({ prompt: ' ' }),
    asks({ inputType: 'choice' }),
    asks({ inputType: 'choice', choices: ['a', 'a'] }),
    asks({ inputType: 'choice', choices: ['a', 1] }),
    asks({ inputType: 'folder' }),
    asks({ timeoutMinutes: 0 }),
  );
  const [answer] = recorded(story, 'modelResponded') as readonly { readonly calls: readonly facts.Call[] }[];
  expect(answer?.calls.map(({ error }) => error)).toEqual([
    'prompt must be a text; nobody was asked.',
    'choices must be a list of 1 to 50 texts; nobody was asked.',
    'choices must differ from each other; nobody was asked.',
    'each of choices must be a text of at most 1024 bytes; nobody was asked.',
    'inputType must be text, choice, file or approval; nobody was asked.',
    expect.stringContaining('timeoutMinutes must be a number above 0'),
  ]);
  expect(story.state.run?.interrupts).toEqual({});
});

const pdf = { digest: 'a'.repeat(64), mediaType: 'application/pdf', name: 'contract "1".pdf', size: 1234 };
const asksFile = answered({ calls: [asks({ inputType: 'file' })] });
const gives = (inputId: string, file: BlobRef, contentJson = '', action: 'accept' | 'decline' = 'accept') =>
  ({ inputId, action, contentJson, file, now: 5_000 }) as const;

test('a file is the result of the call: the record names its digest, and the agent is told its name, type and size', () => {
  const story = given(...begun, asksFile);
  expect(recorded(story, 'inputRequested')).toMatchObject([
    { agentQuestion: { type: facts.InputType.FILE, schemaJson: '' } },
  ]);
  const { digest, size } = pdf;
  given(...begun, asksFile)
    .when((state) => provideInput(state, gives(inputOf(story), pdf)))
    .thenFacts(
      [
        'inputProvided',
        {
          action: facts.InputAction.ACCEPT,
          contentJson: `{"digest":"${digest}","media_type":"application/pdf","name":"contract \\"1\\".pdf","size":1234}`,
        },
      ],
      [
        'toolCallFinished',
        {
          content: 'The user gave the file "contract \\"1\\".pdf": application/pdf, 1234 bytes.',
          isError: false,
          blobs: [{ digest, size: BigInt(size) }],
        },
      ],
    );
});

test.each([
  ['a path', { ...pdf, name: '../../etc/passwd' }, 'without a path'],
  ['a path of Windows', { ...pdf, name: 'C:\\a.pdf' }, 'without a path'],
  ['the name of a folder', { ...pdf, name: '..' }, 'without a path'],
  ['a line break', { ...pdf, name: 'a\n.pdf' }, 'do not see'],
  ['a name that reads backwards', { ...pdf, name: 'a\u202efdp.exe' }, 'do not see'],
  ['a NUL', { ...pdf, name: 'a\0' }, 'do not see'],
  ['a long name', { ...pdf, name: 'a'.repeat(201) }, 'more than 200 characters'],
  ['nothing in it', { ...pdf, size: 0 }, 'it is empty'],
  ['too much in it', { ...pdf, size: 12 * 1024 * 1024 + 1 }, 'at most 12582912'],
])('a file with %s is refused, and the question stays open', (_, file, problem) => {
  const story = given(...begun, asksFile);
  const decision = provideInput(story.state, gives(inputOf(story), file));
  expect(decision).toMatchObject({ kind: 'invalid', problem: expect.stringContaining(problem) });
});

test('a file is given where one is asked for, alone, and nowhere else', () => {
  const story = given(...begun, asksFile);
  const inputId = inputOf(story);
  const problemOf = (decision: unknown) => (decision as { readonly problem?: string }).problem;
  const wanted = expect.stringContaining('this question asks for one');
  expect(problemOf(provideInput(story.state, says(inputId, '')))).toEqual(wanted);
  expect(problemOf(provideInput(story.state, gives(inputId, pdf, '{"answer":"x"}')))).toEqual(wanted);
  expect(problemOf(provideInput(story.state, gives(inputId, pdf, '', 'decline')))).toContain('leave it out');
  const texts = given(...begun, choosing);
  expect(problemOf(provideInput(texts.state, gives(inputOf(texts), pdf)))).toContain('does not ask for one');
});

test('a rule that asks does not ask whether people may be asked; one that denies is heard', () => {
  const policies = (verdict: 'ask' | 'deny'): Policy => ({
    rules: [rule('people', verdict, { tool: 'request_user_input' })],
  });
  const under = (policy: Policy) => given(opened, asked('go', { policy }), answered({ calls: [asks({})] }, { policy }));
  const { log } = under(policies('ask'));
  expect(log.map(({ fact }) => fact.case)).toContain('inputRequested');
  expect(log.map(({ fact }) => fact.case)).not.toContain('approvalRequested');
  expect(under(policies('deny')).log.map(({ fact }) => fact.case)).not.toContain('inputRequested');
});

test('a run that is canceled takes the question with it, and whoever answers late is told so', () => {
  const story = given(...begun, choosing);
  const inputId = inputOf(story);
  const after = given(...begun, choosing, canceled);
  expect(provideInput(after.state, says(inputId, '{"answer":"Approve full refund"}'))).toMatchObject({
    kind: 'settled',
    input: { how: 'withdrawn', reason: 'the run has ended' },
  });
});
