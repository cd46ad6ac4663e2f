import {
  argumentsBytesMax,
  askedPerCallMax,
  type CallState,
  type ConversationState,
  hasWork,
  keyOfWords,
  parkedCalls,
  parkedTasks,
  pendingApprovals,
  type RemoteQuestion,
  type RunState,
  runStanding,
} from '@stopgo/core';
import { facts, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { Rows } from './rows.ts';
import { given, type Happening } from './specification.ts';
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

const { ApprovalKind, Decision } = facts;
const agent = agentOf(a2a());
const lone = { agent };
const id = 'root#1.0';

const words: RemoteQuestion = { key: 'w', kind: 'approval', prompt: 'Really?' };
const token: RemoteQuestion = { key: 'auth', kind: 'auth', prompt: 'Who?' };

const asks = (questions: readonly RemoteQuestion[], answered: readonly string[] = []) =>
  asksFor(id, questions, answered);
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
        ['approvalRequested', { tool: 'a2a_peer', description: '**PROXY APPROVAL — A2A Agent: peer**\n\nReally?' }],
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
    expect(gone.state.run?.inputs).toEqual({});
  });

  test('about a call in doubt is answered in those words', () => {
    const doubt = question('a');
    const choices = ['run_again', 'happened', 'give_up'];
    const so = given(
      ...underWay,
      drove([asks([{ ...doubt, approval: { ...doubt.approval, choices } as never }])], lone),
    );
    so.when(decides({ kind: 'approve' })).thenRefused({ kind: 'choice', choices });
    so.when(decides({ kind: 'run_again' })).thenFacts(['approvalResolved', { decision: Decision.RUN_AGAIN }]);
  });
});

/** The same question, and another amount behind it. */
const dearer = (more: Partial<RemoteQuestion['approval']> = { argumentsJson: '{"to":"a","sum":5000000}' }) => {
  const { approval, ...rest } = question('a');
  return { ...rest, approval: { ...approval, ...more } } as RemoteQuestion;
};

const factsOf = (state: ConversationState, questions: readonly RemoteQuestion[]) => {
  const decided = drives([claim, asks(questions)], lone)(state);
  return 'facts' in decided ? decided.facts.map((one) => one.case) : [];
};

describe('a question whose content changes under its id', () => {
  test.each([
    ['other arguments', dearer()],
    ['another tool', dearer({ tool: 'drain' })],
    ['another server', dearer({ server: 'other' })],
    ['other choices', dearer({ choices: ['run_again', 'happened', 'give_up'] })],
  ])('to %s is another: what was decided goes to nobody, and people are asked anew', (_, changed) => {
    const so = after(approved());
    so.when(drives([claim, asks([changed]), answer('a')], lone)).thenFacts(
      'runClaimed',
      ['delegationAsked', { keys: ['a'] }],
      ['approvalRequested', { question: { key: 'a' } }],
      'runReleased',
    );
    const rows = new Rows();
    rows.add(after(approved(), drove([claim, asks([changed])], lone)).log);
    expect([...rows.approvals.values()].map(({ status, void: isVoid }) => [status, isVoid])).toEqual([
      [views.ApprovalStatus.APPROVED, true],
      [views.ApprovalStatus.PENDING, false],
    ]);
  });

  test('in its own words alone, or in the order of its arguments, is the same', () => {
    const so = given(...underWay, drove([asks([dearer({ argumentsJson: '{"x":1,"y":2}' })])], lone));
    so.when(
      drives([claim, asks([{ ...dearer({ argumentsJson: '{"y":2, "x":1}' }), prompt: 'Well?' }])], lone),
    ).thenFacts('runClaimed', 'runReleased');
  });

  test('while nobody has decided withdraws what was asked', () => {
    after()
      .when(drives([claim, asks([dearer()])], lone))
      .thenFacts(
        'runClaimed',
        ['approvalResolved', { decision: Decision.WITHDRAWN }],
        'delegationAsked',
        'approvalRequested',
        'runReleased',
      );
  });

  test('once an answer is under way is for whoever sends it', () => {
    after(approved(), drove([claim, answer('a')], lone))
      .when(drives([asks([dearer()])], lone))
      .thenNothing();
  });

  test('in words is known by them, and by the message or the time that they were said at', () => {
    const said = (words: string, message: string, time: string) =>
      ({ key: keyOfWords(words, message, time), kind: 'approval', prompt: words }) as const;
    const so = given(...underWay, drove([asks([said('Really?', 'm1', 't1')])], lone));
    for (const same of [said('Really?', 'm2', 't1'), said('Really?', 'm1', 't2')])
      so.when(drives([claim, asks([same])], lone)).thenFacts('runClaimed', 'runReleased');
    for (const other of [said('Really?', 'm2', 't2'), said('All of it?', 'm1', 't1'), said('Really?', '', '')])
      so.when(drives([claim, asks([other])], lone)).thenFacts(
        'runClaimed',
        ['approvalResolved', { decision: Decision.WITHDRAWN }],
        'delegationAsked',
        'approvalRequested',
        'runReleased',
      );
  });
});

describe('an agent that means harm', () => {
  const nested = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;

  test.each([
    ['an id that is no text', [{ ...dearer({ id: '\ud800' }), key: '\ud800' }]],
    ['arguments that are no text', [dearer({ argumentsJson: '{"to":"\\ud800"}' })]],
    ['arguments nested too deep', [dearer({ argumentsJson: nested })]],
    ['arguments that nobody could write down', [dearer({ argumentsJson: '', isUnreadable: true })]],
    ['two questions of one id', [question('a'), dearer()]],
  ])('by %s has failed, and its delegation with it', (_, questions) => {
    given(...underWay)
      .when(drives([asks(questions)], lone))
      .thenFacts(
        ['delegationFinished', { isError: true, content: expect.stringContaining('cannot be bound to an answer') }],
        'stepFinished',
        'runFailed',
      );
    // Those that were decided on before get no answer either.
    expect(factsOf(after(approved()).state, questions)).toEqual([
      'runClaimed',
      'delegationFinished',
      'stepFinished',
      'runFailed',
    ]);
  });

  test('by names that are no texts is shown with signs in their place; two parts that say the same are one', () => {
    const hostile = dearer({ tool: 'pay\ud83d', server: '\udc00', agents: ['\ud800'] });
    given(...underWay)
      .when(drives([asks([{ ...hostile, prompt: '\ud800' }, hostile])], lone))
      .thenFacts(
        'delegationAsked',
        ['approvalRequested', { tool: 'pay\ufffd', server: '\ufffd', question: { agents: ['\ufffd'] } }],
        'runReleased',
      );
  });
});

describe('what is not shown', () => {
  const long = dearer({ argumentsJson: JSON.stringify({ to: 'x'.repeat(argumentsBytesMax) }) });
  const shownOf = (one: RemoteQuestion) => {
    const rows = new Rows();
    rows.add(given(...underWay, drove([asks([{ ...one, prompt: 'Trust me. '.repeat(2_000) }])], lone)).log);
    const [approval] = rows.approvals.values();
    return approval as views.Approval;
  };

  test('can only be declined, and that is said first', () => {
    const { choices, argumentsJson, description } = shownOf(long);
    expect([choices, argumentsJson]).toEqual([['reject'], '']);
    expect(description).toContain('not shown: it can only be declined');
    const so = given(...underWay, drove([asks([long])], lone));
    so.when(decides({ kind: 'approve' })).thenRefused({ kind: 'choice', choices: ['reject'] });
    so.when(decides({ kind: 'reject' })).thenFacts('approvalResolved');
  });

  test.each([
    [['run_again', 'happened', 'give_up'], ['give_up']],
    [['reject'], ['reject']],
  ])('of %j leaves %j, further up too', (choices, left) => {
    expect(shownOf({ ...long, approval: { ...long.approval, choices } } as RemoteQuestion).choices).toEqual(left);
    expect(shownOf(dearer({ choices: left })).choices).toEqual(left);
  });

  test('is not taken from what the agent was sent itself', () => {
    expect([shownOf(words).argumentsJson, shownOf(dearer({ argumentsJson: '' })).argumentsJson]).toEqual(['', '']);
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

  test('by a rejection elsewhere, it ends at once and the question is withdrawn', () => {
    const tree = agentOf({
      type: 'parallel',
      name: 'both',
      onError: 'fail',
      children: [a2a(), llm({ name: 'other', approval: 'require' })],
    });
    const how = { agent: tree };
    const callId = 'root/0#1.0';
    const so = given(
      opened,
      said('go', how),
      drove([delegates('root/0')], how),
      drove([starts(callId)], how),
      drove([asksFor(callId, [question('a')])], how),
      answered({ calls: [call('add')], step: 'root/1' }, how),
      rejected('root/1#1.0'),
    );
    so.when(drives([claim], how)).thenFacts(
      'runClaimed',
      ['approvalResolved', { decision: Decision.WITHDRAWN }],
      ['runCompleted', {}],
    );
  });

  test('by a rejection elsewhere, an answer that was decided on is not waited for', () => {
    const tree = agentOf({
      type: 'parallel',
      name: 'both',
      onError: 'fail',
      children: [a2a(), llm({ name: 'other', approval: 'require' })],
    });
    const how = { agent: tree };
    const callId = 'root/0#1.0';
    const so = given(
      opened,
      said('go', how),
      drove([delegates('root/0')], how),
      drove([starts(callId)], how),
      drove([asksFor(callId, [question('a')])], how),
      answered({ calls: [call('add')], step: 'root/1' }, how),
      approved(callId),
      rejected('root/1#1.0'),
    );
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
