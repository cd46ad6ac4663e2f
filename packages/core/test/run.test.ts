import { argumentsBytesMax, callsPerAnswerMax, canceledByUser, isUuid, pendingApprovals } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { turnsUsedUp } from '../src/text/texts.ts';
import { given } from './specification.ts';
import {
  agentOf,
  answered,
  answers,
  approvalOf,
  approved,
  call,
  drives,
  drove,
  llm,
  modelAnswered,
  opened,
  rejected,
  returns,
  said,
  says,
  takesOver,
} from './story.ts';

const { Disposition, ApprovalKind, Decision } = facts;
const asked = [opened, said('do it')];
const another = { me: { instance: 'orchestrator-2', epoch: 0 } };

describe('a model that answers', () => {
  test('with a text completes the run', () => {
    given(...asked)
      .when(answers({ text: 'Done.' }))
      .thenFacts(
        ['modelResponded', { text: 'Done.', turn: 1 }],
        ['stepFinished', { stepId: 'root', output: { parts: [{ answerRevision: 5, text: '' }] } }],
        ['runCompleted', { output: { parts: [{ answerRevision: 5, text: '' }] } }],
      )
      .thenOwes();
  });

  test('with a call that only reads makes it, without a fence', () => {
    given(...asked)
      .when(answers({ calls: [call('list')] }))
      .thenFacts([
        'modelResponded',
        { calls: [{ callId: 'root#1.0', disposition: Disposition.ALLOWED, repeatable: true, server: 'resources' }] },
      ])
      .thenOwes({ kind: 'call', id: 'root#1.0', attempt: 1, fenced: false });
  });

  test('with a call that may not be repeated makes it behind a fence', () => {
    given(...asked)
      .when(answers({ calls: [call('note')] }))
      .thenFacts('modelResponded')
      .thenOwes({ kind: 'call', id: 'root#1.0', fenced: true });
  });

  test('with a destructive call asks in the same append, binds the approval to it, and releases the run', () => {
    const next = given(...asked).when(
      answers({ text: 'I will add it.', calls: [call('add', { value: 42, name: 'x' })] }),
    );
    next
      .thenFacts(
        ['modelResponded', { calls: [{ disposition: Disposition.GATED, argumentsJson: '{"name":"x","value":42}' }] }],
        [
          'approvalRequested',
          {
            kind: ApprovalKind.TOOL,
            callId: 'root#1.0',
            tool: 'add',
            callRevision: 5,
            choices: ['approve', 'reject'],
            reason: 'the tool is destructive',
          },
        ],
        'runReleased',
      )
      .thenOwes();
    const { calls, interrupts } = next.state.run ?? {};
    const id = approvalOf(next.state);
    expect(isUuid(id)).toBe(true);
    expect(calls?.['root#1.0']?.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.keys(interrupts ?? {})).toEqual([id]);
  });

  test('with two destructive calls and a free one asks for both at once and makes the free one', () => {
    given(...asked)
      .when(answers({ calls: [call('add'), call('list'), call('remove')] }))
      .thenFacts(
        'modelResponded',
        ['approvalRequested', { callId: 'root#1.0' }],
        ['approvalRequested', { callId: 'root#1.2' }],
      )
      .thenOwes({ kind: 'call', id: 'root#1.1' });
  });

  test.each([
    ['a tool that nobody offered', 'drop', '{}', 'Tool not found: drop'],
    ['the end of a loop where it is not offered', 'exit_loop', '{}', 'Tool not found: exit_loop'],
    ['arguments that are not JSON', 'add', '{"a":', 'The arguments are not a JSON object; the call was not run.'],
    ['arguments that are a list', 'add', '[1]', 'The arguments are not a JSON object; the call was not run.'],
    [
      'arguments that are too long',
      'add',
      JSON.stringify({ a: 'x'.repeat(argumentsBytesMax) }),
      `The arguments are longer than ${argumentsBytesMax} bytes; the call was not run.`,
    ],
    [
      'a number beyond all bounds',
      'add',
      '{"a":1e999}',
      'The arguments cannot be taken (the number 1e999 at /a is not kept exactly; write it as a string, or as a number that a double keeps); the call was not run.',
    ],
    [
      'a member that is named twice',
      'add',
      '{"a":{"path":"/tmp","path":"/"}}',
      'The arguments cannot be taken (the member /a/path stands twice; write each member once); the call was not run.',
    ],
    [
      'half a character',
      'add',
      '{"a":"\\ud800"}',
      'The arguments cannot be taken (a string holds half of a surrogate pair); the call was not run.',
    ],
    [
      'endless nesting',
      'add',
      `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
      'The arguments cannot be taken (nested deeper than 200 levels); the call was not run.',
    ],
  ])('with %s is told so, and asked again', (_, name, args, error) => {
    given(...asked)
      .when(answers({ calls: [call(name, args)] }))
      .thenFacts(['modelResponded', { calls: [{ disposition: Disposition.REFUSED, error }] }])
      .thenOwes({ kind: 'model', id: 'root#2', turn: 2 });
  });

  test('has its arguments recorded in canonical form, and none where they have no such form', () => {
    given(...asked)
      .when(answers({ calls: [call('list', '{ "b": 1.0, "a": "\\u0041" }'), call('list', '{"a":1,"a":2}')] }))
      .thenFacts([
        'modelResponded',
        {
          calls: [
            { disposition: Disposition.ALLOWED, argumentsJson: '{"a":"A","b":1}' },
            { disposition: Disposition.REFUSED, argumentsJson: '{}' },
          ],
        },
      ]);
  });

  test('with more calls than are taken has failed', () => {
    const many = Array.from({ length: callsPerAnswerMax + 1 }, () => call('list'));
    given(...asked)
      .when(answers({ calls: many.slice(1) }))
      .thenFacts('modelResponded');
    const tooMany = given(...asked).when(
      drives([{ ...modelAnswered({ calls: many, turn: 1 }), failureText: (message) => `Told: ${message}` }]),
    );
    const message = `the model asked for ${many.length} calls at once; at most ${callsPerAnswerMax} are taken`;
    tooMany.thenFacts(
      ['modelFailed', { message }],
      ['stepFinished', { failed: true }],
      ['runFailed', { text: `Told: ${message}` }],
    );
  });

  test('with more than one append can hold has failed', () => {
    const big = Array.from({ length: 8 }, () => call('add', { a: 'x'.repeat(60_000) }));
    given(...asked)
      .when(answers({ calls: big }))
      .thenFacts(['modelFailed', { message: expect.stringContaining('ask for less at once') }], 'stepFinished', [
        'runFailed',
        { text: expect.stringMatching(/^LLM error: the model's answer takes \d+ bytes/) },
      ]);
  });

  test('twice to the same question is heard once', () => {
    // The model is due again, but this is still its answer to the question before.
    given(...asked, answered({ calls: [call('list')] }), drove([returns('root#1.0')]))
      .when(drives([modelAnswered({ text: 'again', turn: 1 })]))
      .thenNothing();
  });

  test('before its calls are done is not heard', () => {
    given(...asked, answered({ calls: [call('note')] }))
      .when(drives([modelAnswered({ text: 'early', turn: 2 })]))
      .thenNothing();
  });

  test('not at all ends the run with what the user is told, and the conversation stays usable', () => {
    given(...asked)
      .when(
        drives([
          {
            type: 'modelFailed',
            stepId: 'root',
            turn: 1,
            model: 'm',
            message: 'no quota',
            text: 'LLM error: no quota',
          },
        ]),
      )
      .thenFacts(
        ['modelFailed', { message: 'no quota' }],
        ['stepFinished', { failed: true }],
        ['runFailed', { text: 'LLM error: no quota' }],
      );
  });

  test('of nothing is asked for once more, and is a failure when it comes again; another turn may be empty once, too', () => {
    const told = { stepId: 'root', model: 'm', message: 'empty', text: 'no', isEmpty: true };
    const empty = (turn: number) => ({ type: 'modelFailed', turn, ...told }) as const;
    const first = given(...asked).when(drives([empty(1)]));
    first.thenFacts(['modelAnsweredNothing', { turn: 1, model: 'm', message: 'empty' }]);
    first.thenOwes({ kind: 'model', id: 'root#1', turn: 1 });
    const nothing = drove([empty(1)]);
    given(...asked, nothing)
      .when(drives([empty(1)]))
      .thenFacts(['modelFailed', { message: 'empty' }], 'stepFinished', ['runFailed', { text: 'no' }]);
    given(...asked, nothing, answered({ calls: [call('list')] }), drove([returns('root#1.0')]))
      .when(drives([empty(2)]))
      .thenFacts(['modelAnsweredNothing', { turn: 2 }])
      .thenOwes({ kind: 'model', id: 'root#2', turn: 2 });
  });

  test('with calls for ever is ended after the configured number of turns', () => {
    const agent = agentOf(llm({ turnsMax: 2 }));
    const list = { calls: [call('list')] };
    given(opened, said('go on', { agent }), answered(list, { agent }), drove([returns('root#1.0')], { agent }))
      .when(answers(list, { agent }))
      .thenOwes({ kind: 'call', id: 'root#2.0' });
    const twice = [answered(list, { agent }), drove([returns('root#1.0')], { agent }), answered(list, { agent })];
    given(opened, said('go on', { agent }), ...twice)
      .when(drives([returns('root#2.0')], { agent }))
      .thenFacts('toolCallFinished', 'stepFinished', ['runCompleted', { output: { parts: [{ text: turnsUsedUp }] } }]);
  });
});

describe('a loop that a model may leave', () => {
  const agent = agentOf({
    type: 'loop',
    name: 'again',
    iterationsMax: 3,
    children: [llm({ canExitLoop: true, approval: 'require' })],
  });
  const step = 'root[1]/0';

  test('ends with the last text when the model says so', () => {
    given(opened, said('go', { agent }))
      .when(answers({ text: 'Enough.', calls: [call('exit_loop')], step }, { agent }))
      .thenFacts(
        ['modelResponded', { calls: [{ disposition: Disposition.CONTROL }] }],
        ['stepFinished', { stepId: step, exitLoop: true }],
        ['stepFinished', { stepId: 'root', exitLoop: false }],
        'runCompleted',
      );
  });

  test('goes round again otherwise, under another step id', () => {
    given(opened, said('go', { agent }))
      .when(answers({ text: 'More.', step }, { agent }))
      .thenFacts('modelResponded', ['stepFinished', { stepId: step }], ['stepStarted', { stepId: 'root[2]/0' }])
      .thenOwes({ kind: 'model', id: 'root[2]/0#1' });
  });

  test('is not left by a model whose only gated call was rejected: the run ends', () => {
    const leaving = answered({ calls: [call('exit_loop'), call('add')], step }, { agent });
    given(opened, said('go', { agent }), leaving, rejected())
      .when(drives(takesOver(), { agent, ...another }))
      .thenFacts('runClaimed', ['runCompleted', { output: { parts: [{ text: canceledByUser }] } }]);
  });

  test('runs a destructive call at once, recorded as approved by policy, unless its node wants to be asked', () => {
    const free = agentOf({ type: 'loop', name: 'again', iterationsMax: 3, children: [llm()] });
    given(opened, said('go', { agent: free }))
      .when(answers({ calls: [call('add')], step }, { agent: free }))
      .thenFacts(['modelResponded', { calls: [{ disposition: Disposition.AUTO_APPROVED }] }], 'approvalRequested', [
        'approvalResolved',
        { decision: Decision.APPROVED, byPolicy: true },
      ])
      .thenOwes({ kind: 'call', id: `${step}#1.0`, fenced: true });
    given(opened, said('go', { agent }))
      .when(answers({ calls: [call('add')], step }, { agent }))
      .thenFacts(
        ['modelResponded', { calls: [{ disposition: Disposition.GATED }] }],
        'approvalRequested',
        'runReleased',
      )
      .thenOwes();
  });
});

describe('parallel branches', () => {
  const asking = () => llm({ approval: 'require' });
  const agent = agentOf({ type: 'parallel', name: 'both', onError: 'fail', children: [asking(), asking(), llm()] });

  test('ask their models at the same time', () => {
    given(opened)
      .when(says('go', { agent }))
      .thenOwes(
        { kind: 'model', id: 'root/0#1' },
        { kind: 'model', id: 'root/1#1' },
        { kind: 'model', id: 'root/2#1' },
      );
  });

  test('wait for their approvals at the same time, and a branch goes on as soon as it may', () => {
    const forked = [
      opened,
      said('go', { agent }),
      answered({ calls: [call('add')], step: 'root/0' }, { agent }),
      answered({ calls: [call('remove')], step: 'root/1' }, { agent }),
      answered({ text: 'Third.', step: 'root/2' }, { agent }),
    ];
    const { state } = given(...forked);
    expect([pendingApprovals(state.run).length, state.run?.owner]).toEqual([2, null]);
    given(...forked, approved('root/1#1.0'))
      .when(drives(takesOver(), { agent, ...another }))
      .thenFacts('runClaimed')
      .thenOwes({ kind: 'call', id: 'root/1#1.0' });
  });
});
