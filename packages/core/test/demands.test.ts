import { type ConversationState, fact, fold, nextDue, resolveApproval } from '@stopgo/core';
import { approvals, facts } from '@stopgo/proto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayDecide } from '../src/interrupts/may-decide.ts';
import { demandAt } from '../src/policy/demand-at.ts';
import type { ApproverSpec, DemandSpec } from '../src/policy/policy.ts';
import { type Demand, demandFromWire } from '../src/state/demand.ts';
import { approvalIn, decisionOn } from '../src/state/interrupt.ts';
import { anonymous, asking, group, hour, looksAt, one, plain, role, user, voted, voter, votes } from './demanding.ts';
import { dawn, given, type Happening, recorded } from './specification.ts';
import { approvalOf, canceled } from './story.ts';

/** Who decides, how many of them, and what happens when nobody does. */
const { APPROVE, REJECT, WITHDRAW } = approvals.DecisionKind;
const [ana, bob, eve] = [voter(user('ana', ['finance'])), voter(user('bob', ['finance'])), voter(user('eve'))];
const twoOfFinance: DemandSpec = { ...plain, approvers: [group('finance')], votes: 2 };

describe('a call that is withdrawn', () => {
  const carl = voter(anonymous, 'carl');
  const asked = asking({ ...twoOfFinance, notRequester: true }, 'claimed:carl');

  test('is so by who asked for it, though they cannot decide it, and by whoever may', () => {
    given(...asked)
      .when(votes(carl, WITHDRAW))
      .thenFacts(['approvalResolved', { decision: facts.Decision.WITHDRAWN }]);
    given(...asked)
      .when(votes(ana, WITHDRAW))
      .thenFacts(['approvalResolved', { decision: facts.Decision.WITHDRAWN }]);
    expect(given(...asked).when(votes(eve, WITHDRAW)).decision).toMatchObject({ kind: 'not_entitled' });
    expect(given(...asked).when(votes(carl)).decision).toMatchObject({ kind: 'not_entitled' });
  });

  test('is not made, and the model is told: the run goes on', () => {
    const withdrawn = given(...asked, (state) => {
      const decision = votes(carl, WITHDRAW, dawn, 'It was the wrong one.')(state);
      return decision.kind === 'append' ? decision.facts : [];
    });
    withdrawn.when(looksAt(dawn)).thenOwes({ kind: 'model' });
    const [call] = Object.values(withdrawn.state.run?.calls ?? {});
    expect([call?.phase, call?.outcome]).toEqual(['done', 'rejected']);
  });
});

describe('a quorum', () => {
  test('takes as many different people as it needs, and the last of them decides', () => {
    given(...asking(twoOfFinance))
      .when(votes(ana))
      .thenFacts(['approvalVoted', { decision: facts.Decision.APPROVED }]);
    given(...asking(twoOfFinance), voted(ana))
      .when(votes(bob))
      .thenFacts(['approvalResolved', { decision: facts.Decision.APPROVED }]);
    given(...asking(twoOfFinance), voted(ana), voted(bob))
      .when(looksAt(dawn))
      .thenOwes({ kind: 'call', attempt: 1 });
  });

  test('counts nobody twice who claims their name in another case', () => {
    const two = asking({ ...plain, votes: 2 });
    const ada = voter(anonymous, 'ada');
    given(...two, voted(ada))
      .when(votes(voter(anonymous, 'Ada')))
      .thenRefused({ kind: 'voted', missing: 1 });
  });

  test('counts nobody twice', () => {
    given(...asking(twoOfFinance), voted(ana))
      .when(votes(ana))
      .thenRefused({ kind: 'voted', missing: 1 });
  });

  test('ends with the first no', () => {
    given(...asking(twoOfFinance), voted(ana))
      .when(votes(bob, REJECT))
      .thenFacts(['approvalResolved', { decision: facts.Decision.REJECTED }]);
  });

  test('takes no yes of a record that was made up: the fold counts for itself', () => {
    const resolved = (state: ConversationState) =>
      fact('approvalResolved', {
        ...{ approvalId: approvalOf(state), runId: state.run?.id ?? '', decision: facts.Decision.APPROVED },
      });
    const { state } = given(...asking(twoOfFinance), (before) => [resolved(before)]);
    const [approval] = Object.values(state.run?.interrupts ?? {});
    expect(approval?.kind === 'approval' && decisionOn(approval)).toBeUndefined();
    expect(Object.values(state.run?.calls ?? {})[0]?.phase).toBe('waiting');
  });
});

describe('who may decide', () => {
  const demandOf = (spec: DemandSpec, now = dawn): Demand =>
    demandFromWire(fact('approvalRequested', demandAt(spec, now) as never).value as facts.ApprovalRequested) as Demand;

  test.each<[what: string, DemandSpec, ReturnType<typeof voter>, boolean]>([
    ['nobody in particular is asked for', plain, voter(anonymous), true],
    ['in the group', { ...plain, approvers: [group('finance')] }, ana, true],
    ['not in the group', { ...plain, approvers: [group('finance')] }, eve, false],
    ['a group that is only claimed', { ...plain, approvers: [group('finance')] }, voter(anonymous, 'finance'), false],
    ['the role', { ...plain, approvers: [role('ADMIN')] }, voter(user('x', [], 'ADMIN')), true],
    ['a higher role', { ...plain, approvers: [role('ADMIN')] }, voter(user('x', [], 'SUPER_ADMIN')), true],
    ['a lower role', { ...plain, approvers: [role('ADMIN')] }, eve, false],
    ['by e-mail address', { ...plain, approvers: [one('EVE@x.example')] }, eve, true],
    ['by a name that is claimed', { ...plain, approvers: [one('carl')] }, voter(anonymous, 'carl'), true],
    ['by another name', { ...plain, approvers: [one('carl')] }, voter(anonymous, 'dora'), false],
    [
      'nobody in particular, where somebody is asked for',
      { ...plain, approvers: [one('anonymous')] },
      voter(anonymous),
      false,
    ],
    ['nobody in particular, where people are counted', { ...plain, votes: 2 }, voter(anonymous), false],
    ['a name that is claimed, where people are counted', { ...plain, votes: 2 }, voter(anonymous, 'carl'), true],
  ])('%s', (_, spec, who, may) => {
    expect(mayDecide(demandOf(spec), who, '', dawn).may).toBe(may);
  });

  test('in a group that nobody has checked', () => {
    const spec = { ...plain, approvers: [group('finance')] };
    expect(mayDecide(demandOf(spec), { ...ana, claimed: true }, '', dawn).may).toBe(false);
  });

  test('who asked cannot decide, and where nobody knows who asked nobody can', () => {
    const spec = { ...plain, notRequester: true };
    given(...asking(spec, 'user:ana'))
      .when(votes(ana))
      .thenRefused({ kind: 'not_entitled', reason: expect.stringContaining('asked for it') });
    given(...asking(spec, 'user:ana'))
      .when(votes(bob))
      .thenFacts('approvalResolved');
    expect(mayDecide(demandOf(spec), bob, '', dawn)).toMatchObject({ may: false });
  });

  test('others from the time of an escalation on, whether or not that is on the record', () => {
    const spec = {
      ...plain,
      approvers: [group('finance')],
      escalations: [{ afterMs: hour, to: [one('eve@x.example')] }],
    };
    given(...asking(spec))
      .when(votes(eve, APPROVE, dawn + hour - 1))
      .thenRefused({ kind: 'not_entitled', reason: expect.stringContaining('1 of group finance') });
    given(...asking(spec))
      .when(votes(eve, APPROVE, dawn + hour))
      .thenFacts(['approvalResolved', { voter: expect.objectContaining({ entitledBy: 'eve@x.example' }) }]);
  });
});

describe('time', () => {
  const spec: DemandSpec = {
    ...plain,
    approvers: [group('finance')],
    expires: { afterMs: 4 * hour, verdict: 'reject' },
    remindAfterMs: [hour, 3 * hour],
    escalations: [{ afterMs: 2 * hour, to: [role('ADMIN')] }],
  };
  const lookedAt =
    (now: number): Happening =>
    (state) =>
      looksAt(now)(state).facts;

  test('each reminder and escalation once, in order, and then the end; the model is told', () => {
    const { state } = given(...asking(spec));
    expect(nextDue(state.run)).toBe(dawn + hour);
    given(...asking(spec))
      .when(looksAt(dawn + hour - 1))
      .thenNothing();
    given(...asking(spec))
      .when(looksAt(dawn + hour))
      .thenFacts(['approvalReminded', { number: 1 }]);
    given(...asking(spec), lookedAt(dawn + hour))
      .when(looksAt(dawn + hour))
      .thenNothing();
    given(...asking(spec), lookedAt(dawn + hour))
      .when(looksAt(dawn + 2 * hour))
      .thenFacts(['approvalEscalated', { number: 1 }]);
    given(...asking(spec), lookedAt(dawn + 2 * hour))
      .when(looksAt(dawn + 3 * hour))
      .thenFacts(['approvalReminded', { number: 2 }]);
    given(...asking(spec))
      .when(looksAt(dawn + 9 * hour))
      .thenFacts(
        ['approvalReminded', { number: 1 }],
        ['approvalEscalated', { number: 1 }],
        ['approvalReminded', { number: 2 }],
        ['approvalResolved', { decision: facts.Decision.EXPIRED }],
      )
      .thenOwes({ kind: 'model', turn: 2 });
  });

  test('a word that comes after the end is too late, though nobody has recorded that yet', () => {
    given(...asking(spec))
      .when(votes(ana, APPROVE, dawn + 4 * hour))
      .thenRefused({ kind: 'expired', at: dawn + 4 * hour });
    given(...asking(spec))
      .when(votes(ana, APPROVE, dawn + 4 * hour - 1))
      .thenFacts('approvalResolved');
  });

  test('what is left open takes a word at any time, and makes nothing due', () => {
    const left: DemandSpec = { ...plain, expires: { afterMs: hour, verdict: 'leave' } };
    expect(nextDue(given(...asking(left)).state.run)).toBeUndefined();
    given(...asking(left))
      .when(votes(eve, APPROVE, dawn + 9 * hour))
      .thenFacts('approvalResolved');
  });

  test('what is settled, or of a run that is over, is not due', () => {
    expect(nextDue(given(...asking(spec), voted(ana)).state.run)).toBeUndefined();
    expect(nextDue(given(...asking(spec), canceled).state.run)).toBeUndefined();
  });
});

test('a no with a word to it goes to the model, and the run goes on; without one it ends', () => {
  const words = 'ask for the small one instead';
  const no =
    (said: string): Happening =>
    (state) => {
      const decision = votes(eve, REJECT, dawn, said)(state);
      return decision.kind === 'append' ? decision.facts : [];
    };
  given(...asking(plain), no(''))
    .when(looksAt(dawn))
    .thenFacts('runCompleted');
  given(...asking(plain), no(words))
    .when(looksAt(dawn))
    .thenNothing()
    .thenOwes({ kind: 'model', turn: 2 });
});

test('whatever people say, in whatever order: no call runs without what its demand wants', () => {
  const people = ['ana', 'bob', 'carl', 'asker'];
  const groups = ['finance', 'ops'];
  const specs = fc.record({
    approvers: fc.uniqueArray(fc.constantFrom(group('finance'), group('ops'), one('ana@x.example'), role('ADMIN')), {
      maxLength: 3,
      selector: ({ kind, name }) => kind + name,
    }),
    votes: fc.integer({ min: 1, max: 3 }),
    notRequester: fc.boolean(),
    expires: fc.option(
      fc.record({ afterMs: fc.integer({ min: 1, max: 9 }), verdict: fc.constantFrom('reject', 'leave') }),
      {
        nil: undefined,
      },
    ),
    remindAfterMs: fc.constant([]),
    escalations: fc.array(
      fc.record({ afterMs: fc.integer({ min: 1, max: 9 }), to: fc.constantFrom([group('ops')], [role('ADMIN')]) }),
      { maxLength: 1 },
    ),
  });
  const said = fc.record({
    who: fc.constantFrom(...people),
    groups: fc.subarray(groups),
    role: fc.constantFrom('USER' as const, 'ADMIN' as const),
    isYes: fc.boolean(),
    at: fc.integer({ min: 0, max: 10 }),
  });
  fc.assert(
    fc.property(specs, fc.array(said, { maxLength: 8 }), ({ expires, ...spec }, words) => {
      const whole = { ...spec, ...(expires === undefined ? {} : { expires }) } as DemandSpec;
      let { state } = given(...asking(whole));
      const entitled = new Set<string>();
      for (const { who, groups: of, role: has, isYes, at } of [...words].sort((a, b) => a.at - b.at)) {
        const approval = approvalIn(state.run, Object.keys(state.run?.interrupts ?? {})[0] ?? '');
        expect(approval).toBeDefined();
        if (approval === undefined || decisionOn(approval) !== undefined) break;
        const decision = resolveApproval(state, {
          approvalId: approval.id,
          decision: { kind: isYes ? APPROVE : REJECT },
          voter: voter(user(who, of, has)),
          now: dawn + at,
        });
        if (decision.kind !== 'append') continue;
        const isOver = expires?.verdict === 'reject' && expires.afterMs <= at;
        expect(isOver, 'nobody decides after the end').toBe(false);
        const lists = [
          spec.approvers,
          ...spec.escalations.filter(({ afterMs }) => afterMs <= at).map(({ to }) => to),
        ].flat();
        const fits = ({ kind, name }: ApproverSpec): boolean =>
          kind === 'user' ? name === `${who}@x.example` : kind === 'group' ? of.includes(name) : has === 'ADMIN';
        expect(spec.approvers.length === 0 || lists.some(fits), 'only who is entitled is heard').toBe(true);
        expect(spec.notRequester && who === 'asker', 'who asked is not heard').toBe(false);
        if (isYes) entitled.add(who);
        state = fold(state, recorded(decision.facts, state.revision, { kind: 'approver', id: `${who}@x.example` }));
      }
      const [waiting] = Object.values(state.run?.calls ?? {});
      if (waiting?.phase === 'ready') expect(entitled.size).toBe(spec.votes);
      else expect(entitled.size).toBeLessThan(spec.votes);
    }),
  );
});
