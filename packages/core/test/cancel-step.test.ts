import { advance, cancelStep, hasWork, runStanding } from '@stopgo/core';
import { facts as wire } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { answered, asked, callsAgent, definitionsOf, drives, drove, platformAgent, works } from './agents.ts';
import { given } from './specification.ts';
import {
  agentOf,
  call,
  canceled,
  claim,
  drives as drivesTree,
  happened,
  llm,
  modelAnswered,
  opened,
  said,
  starts,
} from './story.ts';

const child = 'root#1.0/root';
const working = [
  opened,
  asked('I want a refund.'),
  answered({ calls: [callsAgent('support/billing')] }),
  drove([works('root#1.0', 'support/billing')]),
] as const;
const asking = [...working, answered({ step: child, calls: [call('add')] })] as const;
const cancels = (stepId: string, by = 'ada', reason = '') =>
  happened((state) => cancelStep(state, { stepId, by, reason }));
const canceling = (stepId: string) => (state: Parameters<typeof cancelStep>[0]) =>
  cancelStep(state, { stepId, by: 'ada', reason: 'too slow' });
const text = 'The agent support/billing was canceled by ada: too slow';

describe('a step that somebody cancels', () => {
  test('has failed; nobody is asked below it any more, and its caller is told who ended it', () => {
    given(...asking)
      .when(canceling(child))
      .thenFacts(
        ['approvalResolved', { callId: `${child}#1.0`, decision: wire.Decision.WITHDRAWN, reason: text }],
        ['stepCanceled', { stepId: child, cause: wire.CancelCause.PERSON, text, reason: 'too slow' }],
      );
    given(...asking, happened(canceling(child)))
      .when(drives([claim]))
      .thenFacts('runClaimed', [
        'agentReturned',
        { isError: true, output: { parts: [expect.objectContaining({ text })] } },
      ])
      .thenOwes({ kind: 'model', stepId: 'root', turn: 2 });
  });

  test('is found by the call that its agent works on', () => {
    given(...asking)
      .when(canceling('root#1.0'))
      .thenFacts('approvalResolved', ['stepCanceled', { stepId: child }]);
  });

  test('is seen by whoever looks for work, once, though the run waits for nobody', () => {
    const { state } = given(...asking);
    expect([hasWork(state.run as never), runStanding(state)]).toEqual([false, 'waiting']);
    const after = given(...asking, cancels(child)).state;
    expect([hasWork(after.run as never), runStanding(after)]).toEqual([true, 'working']);
    const seen = given(...asking, cancels(child), drove([claim])).state;
    expect(seen.run).not.toHaveProperty('toBeSeen');
  });

  test('makes no work for those who own the run, and look in any case', () => {
    const owned = given(...working, answered({ step: child, calls: [call('note')] }), drove([starts(`${child}#1.0`)]));
    expect(owned.state.run?.owner).not.toBeNull();
    const after = given(
      ...working,
      answered({ step: child, calls: [call('note')] }),
      drove([starts(`${child}#1.0`)]),
      cancels(child),
    ).state;
    expect(after.run).not.toHaveProperty('toBeSeen');
    expect(advance(definitionsOf(), after, 0).facts.map((one) => one.case)).toEqual(['agentReturned']);
  });

  test('of a tree fails it, or lets the others beside it go on', () => {
    for (const onError of ['fail', 'continue'] as const) {
      const children = [llm({ name: 'one' }), llm({ name: 'two' })];
      const agent = agentOf({ type: 'parallel', name: 'both', children, onError });
      const begun = [opened, said('Go.', { agent })] as const;
      given(...begun)
        .when(canceling('root/0'))
        .thenFacts(['stepCanceled', { stepId: 'root/0', text: 'The step one was canceled by ada: too slow' }]);
      given(...begun, cancels('root/0'))
        .when(drivesTree([modelAnswered({ step: 'root/1', text: 'Two.', turn: 1 })], { agent }))
        .thenFacts(
          'modelResponded',
          ['stepFinished', { stepId: 'root/1' }],
          ['stepFinished', { stepId: 'root', failed: onError === 'fail' }],
          onError === 'fail' ? 'runFailed' : 'runCompleted',
        );
    }
  });

  test('that is the whole tree cancels the run', () => {
    given(...asking)
      .when(canceling('root'))
      .thenFacts('approvalResolved', ['runCanceled', { reason: 'too slow' }]);
  });

  test('is refused, in what is the matter, if it does not go on', () => {
    given(...asking)
      .when(canceling('root/7'))
      .thenRefused({ kind: 'unknown' });
    given(...asking, cancels(child), drove([claim]))
      .when(canceling(child))
      .thenRefused({ kind: 'over' });
    given(...asking, cancels(child))
      .when(canceling(child))
      .thenRefused({ kind: 'over' });
    given(opened).when(canceling(child)).thenRefused({ kind: 'no_run', status: 'none' });
    given(...asking, canceled)
      .when(canceling(child))
      .thenRefused({ kind: 'no_run', status: 'canceled' });
  });

  test('names nobody and no reason where there is none', () => {
    const silent = (state: Parameters<typeof cancelStep>[0]) =>
      cancelStep(state, { stepId: child, by: '', reason: '' });
    given(...working)
      .when(silent)
      .thenFacts(['stepCanceled', { text: 'The agent support/billing was canceled.' }]);
  });
});

test('a step cannot be ended by a name that only begins like it', () => {
  const both = platformAgent('support/both', {}, {});
  const two = [
    opened,
    asked('Go.'),
    answered({ calls: Array.from({ length: 11 }, () => callsAgent('support/both')) }, { more: [both] }),
    drove([works('root#1.1', 'support/both'), works('root#1.10', 'support/both')], { more: [both] }),
    answered({ step: 'root#1.10/root', calls: [call('add')] }, { more: [both] }),
  ] as const;
  given(...two)
    .when(canceling('root#1.1/root'))
    .thenFacts('stepCanceled');
  const after = given(...two, cancels('root#1.1/root')).state;
  expect(Object.keys(after.run?.steps ?? {})).toContain('root#1.10/root');
  expect(after.run?.steps['root#1.10/root']?.finished).toBeUndefined();
});
