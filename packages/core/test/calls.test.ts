import { type ConversationState, decideLate, toolPin } from '@stopgo/core';
import { approvals, facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { pinChangesPerCallMax } from '../src/text/bounds.ts';
import { given } from './specification.ts';
import {
  answered,
  approvalOf,
  approved,
  bridge,
  bringsToken,
  call,
  canceled,
  changed,
  claim,
  decided,
  drives,
  drove,
  handsInLate,
  me,
  notAllowed,
  notStarted,
  opened,
  rejected,
  returns,
  said,
  starts,
  tool,
  unauthenticated,
  unknown,
} from './story.ts';

const { DecisionKind } = approvals;

const { ApprovalKind, Decision, Disposition, InputKind, RefusalReason } = facts;
const id = 'root#1.0';
const asks = (name: string) => [opened, said('do it'), answered({ calls: [call(name)] })];
const started = [...asks('add'), approved(), drove([claim, starts(id)])];
const repins = (name: string, version: number) =>
  tool(name, { destructive: name === 'add' }, { pin: toolPin({ name, version }).pin });

describe('a call that may not be repeated', () => {
  test('is started on the record, for one bridge, with the approval that allows it', () => {
    const approvalId = approvalOf(given(...asks('add')).state);
    given(...asks('add'), approved())
      .when(drives([claim, starts(id)]))
      .thenFacts('runClaimed', ['toolCallStarted', { callId: id, attempt: 1, bridgeInstance: bridge, approvalId }])
      .thenOwes({ kind: 'recover', id, attempt: 1, bridge });
  });

  test.each([
    ['while its approval is pending', asks('add')],
    ['after its approval was rejected', [...asks('add'), rejected()]],
    ['while it is under way', started],
    ['while it waits for a token', [...asks('note'), drove([{ type: 'needToken', callId: id, prompt: 'Sign in.' }])]],
  ])('does not start %s', (_, story) => {
    const { decision } = given(...story).when(drives([claim, starts(id), starts(id, 2)]));
    expect(decision.kind === 'append' && decision.applied.slice(1)).toEqual([false, false]);
  });

  test('does not start under another number than the next', () => {
    given(...asks('note'))
      .when(drives([starts(id, 2)]))
      .thenNothing();
  });

  test('has no outcome before it has started', () => {
    given(...asks('note'))
      .when(drives([returns(id)]))
      .thenNothing();
  });

  test('has one outcome', () => {
    given(...started, drove([returns(id, 'first')]))
      .when(drives([returns(id, 'second')]))
      .thenNothing();
  });
});

test('a call that may be repeated needs no fence: only its outcome is recorded', () => {
  given(...asks('list'))
    .when(drives([starts(id)]))
    .thenNothing();
  given(...asks('list'))
    .when(drives([returns(id, 'three resources')]))
    .thenFacts(['toolCallFinished', { content: 'three resources', attempt: 1, late: false }])
    .thenOwes({ kind: 'model', id: 'root#2' });
});

test('a gated call that may be repeated still does not run before its approval', () => {
  given(...asks('put'))
    .when(drives([claim, returns(id)]))
    .thenFacts('runClaimed', 'runReleased')
    .thenOwes();
  given(...asks('put'), approved())
    .when(drives([claim]))
    .thenFacts('runClaimed')
    .thenOwes({ kind: 'call', id, fenced: false });
});

describe('a call whose outcome nobody knows', () => {
  const inDoubt = [...started, drove([unknown(id)])];

  test('is in doubt: a human is asked with its three choices, and nothing runs', () => {
    given(...started)
      .when(drives([unknown(id)]))
      .thenFacts(
        ['toolCallInDoubt', { reason: 'the tool server died', attempt: 1 }],
        [
          'approvalRequested',
          {
            kind: ApprovalKind.IN_DOUBT,
            choices: ['run_again', 'happened', 'give_up'],
            reason: 'the tool server died',
          },
        ],
        'runReleased',
      )
      .thenOwes();
  });

  test('runs once more only if somebody says so, behind a new fence and under that decision', () => {
    const approvalId = approvalOf(given(...inDoubt).state);
    given(...inDoubt, decided({ kind: DecisionKind.RUN_AGAIN }))
      .when(drives([claim, starts(id, 2)]))
      .thenFacts('runClaimed', ['toolCallStarted', { attempt: 2, approvalId }]);
  });

  test('is done if somebody says that it happened, and the model goes on', () => {
    given(...inDoubt, decided({ kind: DecisionKind.HAPPENED, result: 'id 7' }))
      .when(drives([claim]))
      .thenFacts('runClaimed')
      .thenOwes({ kind: 'model', id: 'root#2' });
  });

  test('is settled by its own outcome if that comes before a decision', () => {
    const next = given(...inDoubt)
      .when(handsInLate(id, 'it is there'))
      .thenFacts(
        ['approvalResolved', { decision: Decision.WITHDRAWN }],
        ['toolCallFinished', { content: 'it is there', late: false }],
      );
    expect(next.state.run?.calls[id]).toMatchObject({ phase: 'done', outcome: 'result' });
  });

  test.each([
    ['run again', [...inDoubt, decided({ kind: DecisionKind.RUN_AGAIN })]],
    ['run again and started', [...inDoubt, decided({ kind: DecisionKind.RUN_AGAIN }), drove([claim, starts(id, 2)])]],
    ['given up', [...inDoubt, decided({ kind: DecisionKind.GIVE_UP })]],
    ['canceled', [...started, canceled]],
  ])('only notes an outcome that comes after it was %s', (_, story) => {
    const before = given(...story);
    const next = before
      .when(handsInLate(id, 'too late'))
      .thenFacts(['toolCallFinished', { late: true, content: 'too late' }]);
    expect(next.state.run).toEqual(before.state.run);
  });

  test('only notes an outcome of an earlier run', () => {
    given(...started, canceled, said('next', { runId: 'run-2' }))
      .when(handsInLate(id, 'too late', 1, 'run-1'))
      .thenFacts(['toolCallFinished', { runId: 'run-1', late: true }]);
  });
});

test('an outcome that is on the record already is not noted again', () => {
  given(...started, drove([returns(id, 'it is there')]))
    .when(handsInLate(id, 'it is there'))
    .thenNothing();
});

test('that nobody can tell how a call ended is noted of a canceled run, and left to the owner of an open one', () => {
  const handsInUnknown = (state: ConversationState) => decideLate(state, 'run-1', 'root', unknown(id));
  given(...started, canceled)
    .when(handsInUnknown)
    .thenFacts(['toolCallInDoubt', { runId: 'run-1', callId: id, attempt: 1 }]);
  given(...started)
    .when(handsInUnknown)
    .thenNothing();
});

test('an outcome from a process that lost the run settles a call that is still under way', () => {
  given(...started)
    .when(handsInLate(id, 'it is there'))
    .thenFacts(['toolCallFinished', { late: false }]);
});

test('a result that is too long is kept up to 256 KiB, with its full size', () => {
  given(...started)
    .when(drives([returns(id, 'x'.repeat(300 * 1024))]))
    .thenFacts([
      'toolCallFinished',
      { cut: { fullBytes: BigInt(300 * 1024) }, content: expect.stringMatching(/\[cut: 307200 bytes in full/) },
    ]);
});

describe('an attempt that was refused', () => {
  test('because it never began is made anew, under the same approval', () => {
    const before = given(...started);
    const next = before
      .when(drives([notStarted(id)]))
      .thenFacts(['toolCallRefused', { reason: RefusalReason.NOT_STARTED, attempt: 1 }])
      .thenOwes({ kind: 'call', id, attempt: 2, fenced: true });
    expect(next.state.run?.calls[id]?.approvalId).toBe(before.state.run?.calls[id]?.approvalId);
  });

  test('for want of a token pauses the run, which goes on with the token', () => {
    const paused = [...started, drove([unauthenticated(id)])];
    given(...started)
      .when(drives([unauthenticated(id)]))
      .thenFacts(
        ['toolCallRefused', { reason: RefusalReason.UNAUTHENTICATED }],
        ['inputRequested', { kind: InputKind.AUTH, prompt: 'Sign in.', callId: id }],
        'runReleased',
      )
      .thenOwes();
    given(...paused, bringsToken)
      .when(drives([claim]))
      .thenFacts('runClaimed')
      .thenOwes({ kind: 'call', id, attempt: 2 });
  });

  test('for want of a token again is asked again under an id of its own', () => {
    const twice = [
      ...asks('list'),
      drove([{ type: 'needToken', callId: id, prompt: 'Sign in.' }]),
      bringsToken,
      drove([claim, unauthenticated(id)]),
    ];
    const ids = given(...twice, bringsToken, drove([claim, unauthenticated(id, 2)])).log.flatMap(({ fact }) =>
      fact.case === 'inputRequested' ? [fact.value.inputId] : [],
    );
    expect(new Set(ids).size).toBe(3);
  });

  test('because nothing on the record lets it run is refused on the record, and its model is told why', () => {
    given(...started)
      .when(drives([notAllowed(id)]))
      .thenFacts(
        ['toolCallRefused', { reason: RefusalReason.NOT_ALLOWED, attempt: 1, message: 'the approval is void' }],
        ['toolCallFinished', { isError: true, content: 'Tool execution failed: the approval is void' }],
      )
      .thenOwes({ kind: 'model', id: 'root#2' });
  });

  test('because its tool changed voids the approval and asks anew for the changed call', () => {
    const old = given(...started).state.run?.calls[id];
    const next = given(...started)
      .when(drives([changed(id, repins('add', 2))]))
      .thenFacts(
        ['toolCallRefused', { reason: RefusalReason.PIN_CHANGED, pin: repins('add', 2).pin }],
        [
          'approvalRequested',
          { reason: 'the definition of add changed after it was approved', callRevision: old?.revision },
        ],
        'runReleased',
      )
      .thenOwes();
    const { calls, interrupts: approvals } = next.state.run ?? {};
    expect(calls?.[id]).toMatchObject({ phase: 'waiting', attempt: 1 });
    expect(calls?.[id]?.digest).not.toBe(old?.digest);
    expect(approvals?.[old?.approvalId ?? '']).toMatchObject({ void: true, votes: [{ kind: 'approved' }] });
  });

  test(`because its tool changed is asked again ${pinChangesPerCallMax} times, then the call has failed`, () => {
    const story = [...started];
    for (let time = 1; time <= pinChangesPerCallMax; time += 1)
      story.push(drove([changed(id, repins('add', time), time)]), approved(), drove([claim, starts(id, time + 1)]));
    given(...story)
      .when(drives([changed(id, repins('add', 9), pinChangesPerCallMax + 1)]))
      .thenFacts('toolCallRefused', ['toolCallFinished', { isError: true }])
      .thenOwes({ kind: 'model', id: 'root#2' });
    expect(given(...story).log.filter(({ fact }) => fact.case === 'approvalRequested')).toHaveLength(
      1 + pinChangesPerCallMax,
    );
  });

  test('because its tool changed is made anew without asking if neither definition wants to be asked', () => {
    given(...asks('note'), drove([starts(id)]))
      .when(drives([changed(id, repins('note', 2))]))
      .thenFacts(['toolCallRefused', { pin: repins('note', 2).pin }])
      .thenOwes({ kind: 'call', id, attempt: 2 });
  });

  test('of a harmless tool that became destructive waits for a human, who may end the run by a no', () => {
    const grew = tool('note', { destructive: true }, { pin: toolPin('grown').pin });
    const story = [...asks('note'), drove([starts(id)]), drove([changed(id, grew)])];
    given(...story, rejected())
      .when(drives([claim]))
      .thenFacts('runClaimed', ['runCompleted', { output: { parts: [{ text: 'Operation cancelled by user.' }] } }]);
  });
});

describe('a driver', () => {
  const other = { instance: 'orchestrator-2', epoch: 0 };

  test('that needs a token it has not got pauses a call that is ready, and no other', () => {
    const needs = { type: 'needToken', callId: id, prompt: 'Sign in.' } as const;
    given(...asks('list'))
      .when(drives([needs]))
      .thenFacts(['inputRequested', { callId: id, kind: InputKind.AUTH }], 'runReleased');
    given(...started)
      .when(drives([needs]))
      .thenNothing();
  });

  test('whose process is another is fenced off', () => {
    given(...asks('note'))
      .when(drives([starts(id)], { me: { instance: other.instance, epoch: 1 } }))
      .thenRefused({ kind: 'fenced' });
  });

  test('of an earlier epoch is fenced off, though it is the same process', () => {
    const again = [...asks('add'), approved(), drove([claim])];
    const { state } = given(...again);
    expect(state.run?.owner?.epoch).toBe(2);
    given(...again)
      .when(drives([starts(id)], { me: { instance: state.run?.owner?.instance ?? '', epoch: 1 } }))
      .thenRefused({ kind: 'fenced' });
  });

  test('of a run that is settled, or of another one, is fenced off', () => {
    given(opened, said('hello'), answered({ text: 'Hi.' }))
      .when(drives([claim]))
      .thenRefused({ kind: 'fenced' });
    given(...asks('note'))
      .when(drives([starts(id)], { runId: 'run-0' }))
      .thenRefused({ kind: 'fenced' });
  });

  test('claims a run whose owner is dead, under a higher epoch, and leaves one that is alive', () => {
    given(...asks('note'))
      .when(drives([{ type: 'claim', dead: [] }], { me: other }))
      .thenRefused({ kind: 'fenced' });
    given(...asks('note'))
      .when(drives([{ type: 'claim', dead: [me] }], { me: other }))
      .thenFacts(['runClaimed', { owner: { instance: 'orchestrator-2', epoch: 2 } }])
      .thenOwes({ kind: 'call', id });
  });

  test('claims a run that was released, whoever lives, in the append of the first thing it does', () => {
    given(...asks('add'), approved())
      .when(drives([{ type: 'claim', dead: [] }, starts(id)], { me: other }))
      .thenFacts(['runClaimed', { owner: { epoch: 2 } }], 'toolCallStarted');
  });

  test('that owns the run already claims it for nothing', () => {
    given(...asks('note'))
      .when(drives([claim]))
      .thenNothing();
  });

  test('finds out about a call that a dead one had started', () => {
    given(...started)
      .when(drives([{ type: 'claim', dead: [me] }], { me: other }))
      .thenFacts('runClaimed')
      .thenOwes({ kind: 'recover', id, attempt: 1, bridge });
  });

  test('releases the run in the append that leaves nothing but interrupts, and not before', () => {
    const both = [opened, said('do it'), answered({ calls: [call('add'), call('note')] })];
    expect(given(...both).state.run?.owner).not.toBeNull();
    given(...both, drove([starts('root#1.1')]))
      .when(drives([returns('root#1.1')]))
      .thenFacts('toolCallFinished', 'runReleased')
      .thenOwes();
  });

  test('decides several commands as one, each on top of the one before', () => {
    const { decision } = given(...asks('note')).when(drives([starts(id), returns(id), returns(id)]));
    expect(decision).toMatchObject({ kind: 'append', applied: [true, true, false] });
  });
});

test('a call refused by the platform asks nobody', () => {
  const { log } = given(opened, said('do it'), answered({ calls: [call('drop'), call('add')] }));
  const asked = log.flatMap(({ fact }) => (fact.case === 'approvalRequested' ? [fact.value.callId] : []));
  const answer = log.flatMap(({ fact }) => (fact.case === 'modelResponded' ? fact.value.calls : []));
  expect(asked).toEqual(['root#1.1']);
  expect(answer.map((one) => one.disposition)).toEqual([Disposition.REFUSED, Disposition.GATED]);
});
