import { advance, cancelStep, evolve, hasWork, type RecordedFact, type RunState, runStanding } from '@stopgo/core';
import { facts as wire } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import {
  answered,
  asked,
  callsAgent,
  completes,
  definitionsOf,
  drives,
  drove,
  platformAgent,
  works,
} from './agents.ts';
import { given } from './specification.ts';
import {
  agentOf,
  approved,
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

  test('is over once its agent has returned, and unknown before that agent has begun to work', () => {
    const returned = [...working, answered({ step: child, calls: [completes('Refunded.')] })] as const;
    expect(given(...returned).state.run?.steps[child]).toBeUndefined();
    given(...returned)
      .when(canceling(child))
      .thenRefused({ kind: 'over' });
    given(opened, asked('Go.'), answered({ calls: [callsAgent('support/billing')] }))
      .when(canceling(child))
      .thenRefused({ kind: 'unknown' });
  });

  test('carries the key of the request on the record, and so does the run that ends with its root', () => {
    const idempotency = { key: 'k1', requestDigest: 'd1' };
    const keyed = (stepId: string) => (state: Parameters<typeof cancelStep>[0]) =>
      cancelStep(state, { stepId, by: 'ada', reason: '', idempotency });
    given(...working)
      .when(keyed(child))
      .thenFacts(['stepCanceled', { idempotency: expect.objectContaining(idempotency) }]);
    given(...working)
      .when(keyed('root'))
      .thenFacts(['runCanceled', { idempotency: expect.objectContaining(idempotency) }]);
  });

  test('that is the whole tree has nobody asked any more; what was decided is not withdrawn', () => {
    given(...asking)
      .when(canceling('root'))
      .thenFacts(['approvalResolved', { callId: `${child}#1.0`, decision: wire.Decision.WITHDRAWN }], 'runCanceled');
    given(...asking, approved(`${child}#1.0`))
      .when(canceling(child))
      .thenFacts('stepCanceled');
  });

  test('has ended once, though its end is told twice', () => {
    const { log, state } = given(...asking, cancels(child));
    const twice = log.findLast(({ fact }) => fact.case === 'stepCanceled');
    const later = { ...(twice as RecordedFact), revision: state.revision + 1 };
    expect(evolve({ ...state, run: { ...(state.run as RunState), owner: null } }, later).run).toEqual(state.run);
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
