import {
  type ConversationState,
  createConversation,
  provideToken,
  receiveMessage,
  resolveApproval,
  runStanding,
} from '@stopgo/core';
import { approvals, facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { by, dawn, given } from './specification.ts';
import {
  answered,
  approvalOf,
  approved,
  bringsToken,
  call,
  canceled,
  cancels,
  claim,
  decided,
  decides,
  drives,
  drove,
  me,
  opened,
  returns,
  said,
  says,
  starts,
  takesOver,
  unauthenticated,
  unknown,
} from './story.ts';

const { DecisionKind } = approvals;

const { Decision } = facts;
const resolve = (state: ConversationState, approvalId: string) =>
  resolveApproval(state, { approvalId, decision: { kind: DecisionKind.REJECT } });
const failed = drove([
  { type: 'modelFailed', stepId: 'root', turn: 1, model: 'm', message: 'no', text: 'LLM error: no' },
]);
const aCall = answered({ calls: [call('add')] });
const inDoubt = [
  opened,
  said('add it'),
  aCall,
  approved(),
  drove([claim, starts('root#1.0')]),
  drove([unknown('root#1.0')]),
];

describe('the session of a conversation', () => {
  const again = (sessionId: string | undefined) => ({
    runId: 'run-2',
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  const before = [opened, said('hello'), answered({ text: 'Hi.' })];
  const inSession = (sessionId: string) => (state: ConversationState) => {
    const decision = resolveApproval(state, {
      approvalId: approvalOf(state),
      decision: { kind: DecisionKind.APPROVE },
      sessionId,
    });
    return decision.kind === 'append' ? decision.facts : [];
  };

  test.each([
    ['that names none', undefined, '', 'session'],
    ['that names it', 'session', '', 'session'],
    ['that names another', 'other', 'other', 'other'],
  ])('after a message %s', (_, sessionId, recorded, after) => {
    const said2 = given(...before, said('more', again(sessionId)));
    expect(
      said2.log.find(({ fact, revision }) => fact.case === 'runStarted' && revision > 3)?.fact.value,
    ).toMatchObject({
      sessionId: recorded,
    });
    expect(said2.state.sessionId).toBe(after);
  });

  test('is another after a decision, and after a token, that names another; then it stays', () => {
    const decided = given(opened, said('add it'), aCall, inSession('of the yes'));
    expect(decided.state.sessionId).toBe('of the yes');
    expect(given(opened, said('add it'), aCall, inSession('session')).state.sessionId).toBe('session');
    const blocked = [...before, said('list', again(undefined)), answered({ calls: [call('list')] })];
    const needsToken = given(...blocked, drove([unauthenticated('root#1.0')]));
    expect(provideToken(needsToken.state, 'of the token')).toMatchObject([
      { case: 'inputProvided', value: { sessionId: 'of the token' } },
    ]);
  });
});

describe('a conversation', () => {
  test('is opened with the session, the agent and its prompt', () => {
    const idempotency = { key: 'a key of the caller', requestDigest: 'digest' };
    const [created, ...more] = createConversation({
      id: 'id',
      sessionId: 's',
      agentName: 'a',
      systemPrompt: 'Help.',
      idempotency,
    });
    expect(more).toEqual([]);
    expect(created).toMatchObject({
      case: 'conversationCreated',
      value: { conversationId: 'id', sessionId: 's', agentName: 'a', systemPrompt: 'Help.', idempotency },
    });
  });

  test('takes a message, starts a run with an owner, and owes the model', () => {
    given(opened)
      .when(says('hello'))
      .thenFacts(
        ['userMessageReceived', { text: 'hello', runId: 'run-1' }],
        ['runStarted', { runId: 'run-1', owner: { instance: me, epoch: 1 }, bearerTokenPresent: false }],
        ['stepStarted', { stepId: 'root', nodeType: 'llm' }],
      )
      .thenOwes({ kind: 'model', id: 'root#1', stepId: 'root', turn: 1 });
  });

  test('takes its title from the first message, cut to 200 characters', () => {
    const { state } = given(opened, said('😀'.repeat(300)), canceled, said('second', { runId: 'run-2' }));
    expect(state.title).toBe('😀'.repeat(200));
    expect(given(opened, said('x'.repeat(201))).state.title).toBe('x'.repeat(200));
  });

  test('refuses a message while a model is at work', () => {
    given(opened, said('hello'))
      .when(says('again', { runId: 'run-2' }))
      .thenRefused({ kind: 'busy' });
  });

  test('refuses a message while an approved call is ready but nobody owns the run yet', () => {
    const { state } = given(opened, said('add it'), aCall, approved());
    expect([state.run?.owner, runStanding(state)]).toEqual([null, 'working']);
    given(opened, said('add it'), aCall, approved())
      .when(says('again', { runId: 'run-2' }))
      .thenRefused({ kind: 'busy' });
  });

  test('refuses a message while an approval is pending, token or not', () => {
    given(opened, said('add it'), aCall)
      .when(says('again', { runId: 'run-2' }))
      .thenRefused({ kind: 'waiting' });
    given(opened, said('add it'), aCall)
      .when(says('again', { runId: 'run-2', token: true }))
      .thenRefused({ kind: 'waiting' });
  });

  test('takes the token, not the text, of a message while a call waits for one', () => {
    const waiting = [
      opened,
      said('note it'),
      answered({ calls: [call('list')] }),
      drove([unauthenticated('root#1.0')]),
    ];
    given(...waiting)
      .when(says('again', { runId: 'run-2' }))
      .thenRefused({ kind: 'waiting' });
    const next = given(...waiting).when(says('again', { runId: 'run-2', token: true }));
    expect(next.decision.kind).toBe('token');
    next.thenFacts(['inputProvided', { runId: 'run-1', text: '' }]);
    expect(next.state.run?.calls['root#1.0']?.phase).toBe('ready');
  });

  test('takes a message again once the run is settled, as a new run', () => {
    given(opened, said('hello'), answered({ text: 'Hi.' }))
      .when(says('and now?', { runId: 'run-2' }))
      .thenFacts('userMessageReceived', ['runStarted', { runId: 'run-2' }], ['stepStarted', { runId: 'run-2' }]);
  });

  test('needs no token that nobody asked for', () => {
    given(opened, said('hello')).when(bringsToken).thenNothing();
  });
});

describe('a decision', () => {
  const waiting = [opened, said('add it'), aCall];

  test('that approves lets the call run', () => {
    const next = given(...waiting)
      .when(decides({ kind: DecisionKind.APPROVE }))
      .thenFacts([
        'approvalResolved',
        { decision: Decision.APPROVED, callId: 'root#1.0', tool: 'add', byPolicy: false },
      ]);
    expect(next.state.run?.calls['root#1.0']).toMatchObject({ phase: 'ready', gated: true });
  });

  test('that rejects settles the call, and nothing runs', () => {
    const next = given(...waiting)
      .when(decides({ kind: DecisionKind.REJECT }))
      .thenFacts(['approvalResolved', { decision: Decision.REJECTED }]);
    expect(next.state.run?.calls['root#1.0']).toMatchObject({ phase: 'done', outcome: 'rejected' });
  });

  test('that comes second is refused, and told who decided what and when', () => {
    const approvalId = approvalOf(given(...waiting).state);
    const settled = given(...waiting, by('ada', approved()));
    settled
      .when((state) => resolve(state, approvalId))
      .thenRefused({
        kind: 'settled',
        decision: { kind: 'approved', by: 'ada', at: dawn + settled.state.revision * 1_000 },
      });
  });

  test('on a canceled run is told that the approval was withdrawn', () => {
    const approvalId = approvalOf(given(...waiting).state);
    given(...waiting, canceled)
      .when((state) => resolve(state, approvalId))
      .thenRefused({ kind: 'settled', decision: { kind: 'withdrawn' } });
  });

  test('on an approval of an earlier run, or of none, is past', () => {
    const approvalId = approvalOf(given(...waiting).state);
    given(...waiting, canceled, said('next', { runId: 'run-2' }))
      .when((state) => resolve(state, approvalId))
      .thenRefused({ kind: 'past' });
    given(opened)
      .when((state) => resolve(state, approvalId))
      .thenRefused({ kind: 'past' });
  });

  test.each(['RUN_AGAIN', 'GIVE_UP'] as const)('%s is no choice for a call that has not started', (kind) => {
    given(...waiting)
      .when(decides({ kind: DecisionKind[kind] }))
      .thenRefused({ kind: 'choice', choices: ['approve', 'reject'] });
  });
});

describe('a decision on a call in doubt', () => {
  test('cannot be a plain yes', () => {
    given(...inDoubt)
      .when(decides({ kind: DecisionKind.APPROVE }))
      .thenRefused({ kind: 'choice', choices: ['run_again', 'happened', 'give_up'] });
  });

  test('that is a plain no means to give up', () => {
    given(...inDoubt)
      .when(decides({ kind: DecisionKind.REJECT }))
      .thenFacts(['approvalResolved', { decision: Decision.GIVE_UP }]);
  });

  test.each([
    [{ kind: DecisionKind.RUN_AGAIN }, Decision.RUN_AGAIN, { phase: 'ready', attempt: 1 }],
    [{ kind: DecisionKind.HAPPENED, result: 'it is there' }, Decision.HAPPENED, { phase: 'done', outcome: 'happened' }],
    [{ kind: DecisionKind.GIVE_UP }, Decision.GIVE_UP, { phase: 'done', outcome: 'given_up' }],
  ] as const)('%o settles the doubt', (decision, wire, call) => {
    const next = given(...inDoubt)
      .when(decides(decision))
      .thenFacts([
        'approvalResolved',
        { decision: wire, result: decision.kind === DecisionKind.HAPPENED ? 'it is there' : '', callId: 'root#1.0' },
      ]);
    expect(next.state.run?.calls['root#1.0']).toMatchObject(call);
  });

  test('that gives up does not read as a rejection: the model is told and goes on', () => {
    given(...inDoubt, decided({ kind: DecisionKind.GIVE_UP }))
      .when(drives(takesOver(), { me: { instance: 'orchestrator-2', epoch: 0 } }))
      .thenFacts('runClaimed')
      .thenOwes({ kind: 'model', id: 'root#2' });
  });
});

describe('a cancel', () => {
  test('withdraws what is pending and ends the run', () => {
    const next = given(opened, said('add both'), answered({ calls: [call('add'), call('remove')] }))
      .when(cancels)
      .thenFacts(
        ['approvalResolved', { decision: Decision.WITHDRAWN, callId: 'root#1.0' }],
        ['approvalResolved', { decision: Decision.WITHDRAWN, callId: 'root#1.1' }],
        ['runCanceled', { reason: 'the user left' }],
      );
    expect(next.state.run?.status).toBe('canceled');
  });

  test('frees a run that waits for a token', () => {
    given(opened, said('list'), answered({ calls: [call('list')] }), drove([unauthenticated('root#1.0')]))
      .when(cancels)
      .thenFacts('runCanceled');
  });

  test('repeated changes nothing', () => {
    given(opened, said('hello'), canceled).when(cancels).thenRefused({ kind: 'already' });
  });

  test('has nothing to do without a run, or after it completed or failed', () => {
    given(opened).when(cancels).thenRefused({ kind: 'settled', status: 'none' });
    given(opened, said('hello'), answered({ text: 'Hi.' }))
      .when(cancels)
      .thenRefused({ kind: 'settled', status: 'completed' });
    given(opened, said('hello'), failed).when(cancels).thenRefused({ kind: 'settled', status: 'failed' });
  });

  test('leaves a call that has started to be recorded as late', () => {
    const { state } = given(opened, said('add'), aCall, approved(), drove([claim, starts('root#1.0')]), canceled);
    expect(state.run?.calls['root#1.0']?.phase).toBe('started');
    given(opened, said('add'), aCall, approved(), drove([claim, starts('root#1.0')]), canceled)
      .when(drives([returns('root#1.0')], { me: { instance: me, epoch: 1 } }))
      .thenRefused({ kind: 'fenced' });
  });
});

describe('where the agent of a conversation is not there any more', () => {
  const says2 = (state: ConversationState) =>
    receiveMessage(state, { text: 'hello?', runId: 'run-2', instance: 'o', bearerTokenPresent: true, now: dawn });

  test('no run begins', () => {
    given(opened).when(says2).thenRefused({ kind: 'no_agent' });
    given(opened, said('hello'), answered({ text: 'Hi.' }))
      .when(says2)
      .thenRefused({ kind: 'no_agent' });
  });

  test('an open run is what a message is about still', () => {
    given(opened, said('hello')).when(says2).thenRefused({ kind: 'busy' });
    const { state } = given(opened, said('add it'), aCall);
    expect(says2(state).kind).toBe('waiting');
    const needsToken = given(
      ...[opened, said('list'), answered({ calls: [call('list')] }), drove([unauthenticated('root#1.0')])],
    );
    expect(says2(needsToken.state)).toMatchObject({ kind: 'token' });
  });
});
