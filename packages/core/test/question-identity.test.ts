import { argumentsBytesMax, type ConversationState, keyOfWords, type RemoteQuestion } from '@stopgo/core';
import { approvals, facts, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { Rows } from './rows.ts';
import { given, type Happening } from './specification.ts';
import {
  a2a,
  agentOf,
  answersTo,
  approved,
  asksFor,
  claim,
  decides,
  delegates,
  drives,
  drove,
  opened,
  question,
  said,
  starts,
} from './story.ts';

const { DecisionKind } = approvals;

const { Decision } = facts;
const lone = { agent: agentOf(a2a()) };
const id = 'root#1.0';
const words: RemoteQuestion = { key: 'w', kind: 'approval', prompt: 'Really?' };
const asks = (questions: readonly RemoteQuestion[]) => asksFor(id, questions);
const answer = (key: string) => answersTo(id, key);
const underWay: readonly Happening[] = [
  opened,
  said('go', lone),
  drove([delegates('root')], lone),
  drove([starts(id)], lone),
];
const after = (...more: readonly Happening[]) => given(...underWay, drove([asks([question('a')])], lone), ...more);

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
    ['other agents between', dearer({ agents: ['till', 'safe'] })],
    ['other words', { ...question('a'), prompt: 'May I a, and all the rest?' }],
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

  test('in the order of its arguments alone is the same; a word that means nothing is not nothing', () => {
    const shows = (argumentsJson: string) => drives([claim, asks([dearer({ argumentsJson })])], lone);
    const so = given(...underWay, drove([asks([dearer({ argumentsJson: '{"x":1,"y":2}' })])], lone));
    so.when(shows('{"y":2, "x":1}')).thenFacts('runClaimed', 'runReleased');
    const nothing = given(...underWay, drove([asks([dearer({ argumentsJson: 'null' })])], lone));
    expect(factsOf(nothing.state, [dearer({ argumentsJson: '"null"' })])).toContain('approvalRequested');
  });

  test('of arguments that are too long to be shown is another by any letter of them', () => {
    const long = (end: string) => dearer({ argumentsJson: JSON.stringify({ to: 'x'.repeat(argumentsBytesMax), end }) });
    const so = given(...underWay, drove([asks([long('a')])], lone));
    expect(factsOf(so.state, [long('a')])).toEqual(['runClaimed', 'runReleased']);
    expect(factsOf(so.state, [long('b')])).toContain('approvalRequested');
    // Nobody takes the time to find out what it says: in another order it is another.
    const turned = (args: object) => dearer({ argumentsJson: JSON.stringify(args) });
    const big = 'x'.repeat(argumentsBytesMax);
    const first = given(...underWay, drove([asks([turned({ a: big, b: 1 })])], lone));
    expect(factsOf(first.state, [turned({ b: 1, a: big })])).toContain('approvalRequested');
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
    const hostile = { ...dearer({ tool: 'pay\ud83d', server: '\udc00', agents: ['\ud800'] }), prompt: '\ud800' };
    given(...underWay)
      .when(drives([asks([hostile, { ...hostile }])], lone))
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
    so.when(decides({ kind: DecisionKind.APPROVE })).thenRefused({ kind: 'choice', choices: ['reject'] });
    so.when(decides({ kind: DecisionKind.REJECT })).thenFacts('approvalResolved');
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
