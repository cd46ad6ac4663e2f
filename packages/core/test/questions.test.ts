import {
  type CallState,
  type ConversationState,
  hasWork,
  parkedCalls,
  parkedTasks,
  pendingApprovals,
  type RemoteQuestion,
  type RunState,
  runStanding,
} from '@stopgo/core';
import { approvals, facts, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import type { DemandSpec } from '../src/policy/policy.ts';
import { askedPerCallMax } from '../src/text/bounds.ts';
import { group, hour, plain, user, voted, voter, votes } from './demanding.ts';
import { Rows } from './rows.ts';
import { by, given, type Happening } from './specification.ts';
import {
  a2a,
  agentOf,
  answered,
  answersTo,
  approved,
  asksFor,
  bringsToken,
  call,
  canceled,
  claim,
  decides,
  delegates,
  drives,
  drove,
  handsInLate,
  llm,
  opened,
  question,
  rejected,
  replies,
  said,
  starts,
  unknown,
} from './story.ts';

const { DecisionKind } = approvals;

const { ApprovalKind, Decision } = facts;
const agent = agentOf(a2a());
const lone = { agent };
const id = 'root#1.0';

const words: RemoteQuestion = { key: 'w', kind: 'approval', prompt: 'Really?' };
const token: RemoteQuestion = { key: 'auth', kind: 'auth', prompt: 'Who?' };

const asks = (questions: readonly RemoteQuestion[], closed: readonly string[] = []) => asksFor(id, questions, closed);
const answer = (key: string) => answersTo(id, key);
const underWay: readonly Happening[] = [
  opened,
  said('go', lone),
  drove([delegates('root')], lone),
  drove([starts(id)], lone),
];
const asked = (...questions: readonly RemoteQuestion[]) => given(...underWay, drove([asks(questions)], lone));
const after = (...more: readonly Happening[]) => given(...underWay, drove([asks([question('a')])], lone), ...more);
const callOf = ({ state }: { state: ReturnType<typeof given>['state'] }) => state.run?.calls[id] as CallState;

test('what an agent asks in a delegation is decided by those who had to allow that, however long it waits', () => {
  const finance: DemandSpec = {
    ...{ ...plain, approvers: [group('finance')], votes: 2, notRequester: true },
    expires: { afterMs: hour, verdict: 'reject' },
  };
  const policy = { rules: [{ name: 'two', verdict: 'ask' as const, reason: '', demand: finance }] };
  const how = { agent, policy };
  const of = (name: string) => voter(user(name, ['finance']));
  const [ana, bob, cleo] = [of('ana'), of('bob'), of('cleo')];
  const story = given(
    opened,
    { by: { kind: 'user', id: 'cleo@x.example', principal: 'user:cleo' }, happening: said('go', how) },
    drove([delegates('root')], how),
    ...[ana, bob].map((who) => by(who.name, voted(who))),
    drove([claim, starts(id)], how),
    drove([asks([question('a')])], how),
  );
  const request = story.log.map(({ fact }) => fact).findLast((one) => one.case === 'approvalRequested')?.value;
  expect(request).toMatchObject({ kind: ApprovalKind.PROXY, demand: { votes: 2, notRequester: true } });
  expect(request?.expiresAt).toBeUndefined();
  expect(story.when(votes(cleo)).decision).toMatchObject({ kind: 'not_entitled' });
  story.when(votes(ana)).thenFacts('approvalVoted');
});

describe('an agent that waits', () => {
  test('is asked about here, with the innermost tool and the chain, and nobody drives the run', () => {
    given(...underWay)
      .when(drives([asks([question('a')])], lone))
      .thenFacts(
        ['delegationAsked', { keys: ['a'], attempt: 1 }],
        [
          'approvalRequested',
          {
            kind: ApprovalKind.PROXY,
            tool: 'pay',
            server: 'bank',
            choices: ['approve', 'reject'],
            description:
              '**PROXY APPROVAL — A2A Agent: peer**\n\nAgents: peer → till\n\n**PAY**\n\nArgs: {\n  "to": "a"\n}\n\nThe agent says: May I a?',
            question: { key: 'a', taskId: `task of ${id}`, agent: 'peer', approvalId: 'a', agents: ['till'] },
          },
        ],
        'runReleased',
      )
      .thenOwes();
    const { state } = asked(question('a'));
    expect([runStanding(state), hasWork(state.run as RunState), parkedCalls(state.run).length]).toEqual([
      'waiting',
      false,
      1,
    ]);
  });

  test('asks for nothing twice, and whatever else in words of its own', () => {
    asked(question('a'))
      .when(drives([claim, asks([question('a')])], lone))
      .thenFacts('runClaimed', 'runReleased');
    given(...underWay)
      .when(drives([asks([words])], lone))
      .thenFacts(
        'delegationAsked',
        ['approvalRequested', { tool: 'a2a_peer', description: '**PROXY APPROVAL — A2A Agent: peer**\n\n> Really?' }],
        'runReleased',
      );
  });

  test('is answered under a fence, once', () => {
    after(approved())
      .when(drives([claim], lone))
      .thenFacts('runClaimed')
      .thenOwes({ kind: 'recover', id, attempt: 1 });
    after(approved())
      .when(drives([claim, answer('a'), answer('a')], lone))
      .thenFacts('runClaimed', ['delegationAnswered', { key: 'a', attempt: 1 }])
      .thenOwes({ kind: 'recover', id, attempt: 1 });
    // Nobody has decided.
    after()
      .when(drives([claim, answer('a')], lone))
      .thenFacts('runClaimed', 'runReleased');
  });

  test('once somebody has decided, there is work for whoever looks', () => {
    const { state } = after(approved());
    expect([runStanding(state), hasWork(state.run as RunState)]).toEqual(['working', true]);
  });

  test('a no is an answer, not the end of the delegation: what the agent makes of it is the result', () => {
    const so = after(rejected(), drove([claim, answer('a')], lone));
    so.when(drives([replies(id, 'Operation cancelled by user.')], lone)).thenFacts(
      ['delegationFinished', { content: 'Operation cancelled by user.' }],
      'stepFinished',
      'runCompleted',
    );
  });

  test('while an answer may be on its way, nothing is said of its question', () => {
    const so = after(approved(), drove([claim, answer('a')], lone));
    so.when(drives([asks([question('a')])], lone)).thenNothing();
    so.when(drives([{ ...asks([question('a')], ['a']), reason: 'refused' }], lone)).thenFacts(
      'delegationAsked',
      ['approvalRequested', { reason: 'refused' }],
      'runReleased',
    );
  });

  test('that asks for something else by now: the old question is withdrawn, with what became of it', () => {
    asked(question('a'))
      .when(drives([claim, asks([question('b')])], lone))
      .thenFacts(
        'runClaimed',
        [
          'approvalResolved',
          { decision: Decision.WITHDRAWN, proxy: true, reason: expect.stringContaining('input-required') },
        ],
        ['delegationAsked', { keys: ['b'] }],
        'approvalRequested',
        'runReleased',
      );
  });

  test('that asks for nothing any more is looked after', () => {
    asked(question('a'))
      .when(drives([claim, asks([])], lone))
      .thenFacts('runClaimed', ['approvalResolved', { decision: Decision.WITHDRAWN }], 'delegationAsked')
      .thenOwes({ kind: 'recover', id });
  });

  test('several are decided in any order; the others wait on', () => {
    const both = drove([asks([question('a'), question('b')])], lone);
    const decided = given(...underWay, both, approved(id), drove([claim, answer('b')], lone));
    decided.when(drives([asks([question('a')], ['b'])], lone)).thenFacts('delegationAsked', 'runReleased');
    expect(pendingApprovals(decided.state.run)).toHaveLength(1);
  });

  test('that asks again and again has failed in the end', () => {
    const so = given(...underWay);
    const full = { ...so.state, run: { ...so.state.run, calls: { [id]: { ...callOf(so), asked: askedPerCallMax } } } };
    expect(drives([asks([question('last')])], lone)(full as ConversationState)).toMatchObject({
      facts: expect.arrayContaining([expect.objectContaining({ case: 'delegationFinished' })]),
    });
  });

  test('for a token: it is asked for here, and a message with one lets it go on', () => {
    given(...underWay)
      .when(drives([asks([token])], lone))
      .thenFacts('delegationAsked', ['inputRequested', { question: 'auth' }], 'runReleased');
    const so = given(...underWay, drove([asks([token])], lone), bringsToken);
    so.when(drives([claim], lone)).thenOwes({ kind: 'recover', id });
    expect(callOf(so).sent?.questions).toMatchObject([{ key: 'auth', verdict: 'token' }]);
    // Somebody has ended it meanwhile: nobody is asked for a token any more.
    const gone = given(...underWay, drove([asks([token])], lone), drove([claim, asks([])], lone));
    expect(gone.state.run?.interrupts).toEqual({});
  });

  test('about a call in doubt is answered in those words', () => {
    const doubt = question('a');
    const choices = ['run_again', 'happened', 'give_up'];
    const so = given(
      ...underWay,
      drove([asks([{ ...doubt, approval: { ...doubt.approval, choices } as never }])], lone),
    );
    so.when(decides({ kind: DecisionKind.APPROVE })).thenRefused({ kind: 'choice', choices });
    so.when(decides({ kind: DecisionKind.RUN_AGAIN })).thenFacts([
      'approvalResolved',
      { decision: Decision.RUN_AGAIN },
    ]);
  });
});

describe('when the run ends first', () => {
  test('the task is known still, until it is heard that it has ended there', () => {
    const over = after(canceled);
    expect([parkedCalls(over.state.run).length, pendingApprovals(over.state.run)]).toEqual([1, []]);
    const heard = after(
      canceled,
      handsInLate(id, 'Canceled.', 1, 'run-1', (callId, content) => replies(callId, content)),
    );
    expect(parkedCalls(heard.state.run)).toEqual([]);
  });

  test('and another begins, it is known still, and no longer than until then', () => {
    const heardLate = handsInLate(id, 'Canceled.', 1, 'run-1', (callId, content) => replies(callId, content));
    const next = after(canceled, said('again', { ...lone, runId: 'run-2' }));
    expect(parkedTasks(next.state)).toMatchObject([
      { runId: 'run-1', call: { id, sent: { taskId: `task of ${id}` } } },
    ]);
    expect(parkedCalls(next.state.run)).toEqual([]);
    const others = after(canceled, said('again', { ...lone, runId: 'run-2' }), heardLate);
    expect(parkedTasks(others.state)).toEqual([]);
  });

  const both = agentOf({
    type: 'parallel',
    name: 'both',
    onError: 'fail',
    children: [a2a(), llm({ name: 'other', approval: 'require' })],
  });
  const how = { agent: both };
  const callId = 'root/0#1.0';
  /** One branch waits for another agent, the other one for a human. */
  const bothWait = [
    opened,
    said('go', how),
    drove([delegates('root/0')], how),
    drove([starts(callId)], how),
    drove([asksFor(callId, [question('a')])], how),
    answered({ calls: [call('add')], step: 'root/1' }, how),
  ] as const;

  test('by a rejection elsewhere, it ends at once and the question is withdrawn', () => {
    const so = given(...bothWait, rejected('root/1#1.0'));
    so.when(drives([claim], how)).thenFacts(
      'runClaimed',
      ['approvalResolved', { decision: Decision.WITHDRAWN }],
      ['runCompleted', {}],
    );
  });

  test('by a rejection elsewhere, an answer that was decided on is not waited for', () => {
    const so = given(...bothWait, approved(callId), rejected('root/1#1.0'));
    so.when(drives([claim], how))
      .thenFacts('runClaimed', 'runCompleted')
      .thenOwes();
  });

  test('nobody can tell how the delegation ended: what it asked is withdrawn', () => {
    const so = given(
      ...underWay,
      drove([asks([question('a'), question('b')])], lone),
      approved(),
      drove([claim, answer('a')], lone),
    );
    so.when(drives([unknown(id)], lone)).thenFacts(
      ['approvalResolved', { decision: Decision.WITHDRAWN }],
      'toolCallInDoubt',
      ['approvalRequested', { kind: ApprovalKind.IN_DOUBT }],
      'runReleased',
    );
  });
});

test('a decision that was sent and not taken is void, and asked anew; one that was taken is not', () => {
  const shown = [question('a'), question('b')];
  const so = given(
    ...underWay,
    drove([asks(shown)], lone),
    // The newest is decided first.
    approved(id),
    drove([claim, answer('b'), asksFor(id, [question('a')], ['b'])], lone),
    approved(id),
    drove([claim, answer('a'), asksFor(id, [question('a')], ['a', 'b'], 1, ['a', 'b'])], lone),
  );
  const rows = new Rows();
  rows.add(so.log);
  const { APPROVED, PENDING } = views.ApprovalStatus;
  expect([...rows.approvals.values()].map(({ status, void: isVoid }) => [status, isVoid])).toEqual([
    [APPROVED, true],
    [APPROVED, false],
    [PENDING, false],
  ]);
});

test('the view shows who asks and what; a decision that nobody took is void', () => {
  const so = after(approved(), drove([claim, asks([])], lone));
  const rows = new Rows();
  rows.add(so.log);
  expect([...rows.approvals.values()]).toMatchObject([
    {
      kind: ApprovalKind.PROXY,
      tool: 'pay',
      argumentsJson: '{"to":"a"}',
      remoteTaskId: `task of ${id}`,
      remoteAgentName: 'peer',
      agents: ['peer', 'till'],
      status: views.ApprovalStatus.APPROVED,
      void: true,
    },
  ]);
});
