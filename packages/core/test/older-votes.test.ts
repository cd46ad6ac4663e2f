import { type ConversationState, evolve, fact } from '@stopgo/core';
import { create, facts, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { mayDecide } from '../src/interrupts/may-decide.ts';
import type { DemandSpec } from '../src/policy/policy.ts';
import { approverText, approverToWire, demandFromWire } from '../src/state/demand.ts';
import { approvalIn, decisionOn } from '../src/state/interrupt.ts';
import { anonymous, asking, group, hour, plain, user, voted, voter, votes } from './demanding.ts';
import { Rows } from './rows.ts';
import { by, dawn, given, recorded } from './specification.ts';
import { approvalOf } from './story.ts';

/** What replicas of an earlier version record while others are newer: they know nothing of what an approval demands, or not all of it. */
const { APPROVED, REJECTED } = facts.Decision;
const [ana, bob] = [voter(user('ana', ['finance'])), voter(user('bob', ['finance']))];
const ofFinance: DemandSpec = { ...plain, approvers: [group('finance')] };

const decided =
  (decision: facts.Decision, more: object = {}) =>
  (state: ConversationState) => [
    fact('approvalResolved', {
      ...{ approvalId: approvalOf(state), runId: state.run?.id ?? '', decision, callId: 'root#1.0', tool: 'remove' },
      ...more,
    }),
  ];
const idIn = (state: ConversationState): string => Object.keys(state.run?.interrupts ?? {})[0] ?? '';
const decisionIn = (state: ConversationState) => {
  const approval = approvalIn(state.run, idIn(state));
  return approval === undefined ? undefined : decisionOn(approval)?.kind;
};

describe('a decision of which nobody recorded who said it', () => {
  test.each<[string, DemandSpec]>([
    ['somebody in particular', ofFinance],
    ['two people', { ...plain, votes: 2 }],
    ['somebody else than who asked', { ...plain, notRequester: true }],
  ])('is no yes where %s has to say it', (_, demand) => {
    const early = given(...asking(demand), by('mallory', decided(APPROVED)), by('mallory', decided(APPROVED)));
    expect(decisionIn(early.state)).toBeUndefined();
    expect(early.state.run?.calls['root#1.0']?.phase).toBe('waiting');
    const rows = new Rows();
    rows.add(early.log);
    const approval = rows.approvals.get(idIn(early.state));
    expect([approval?.status, approval?.votes]).toEqual([views.ApprovalStatus.PENDING, []]);
  });

  test('takes nothing from those who may: they decide', () => {
    given(...asking({ ...ofFinance, votes: 2 }), by('mallory', decided(APPROVED)), voted(ana))
      .when(votes(bob))
      .thenFacts(['approvalResolved', { decision: APPROVED }]);
  });

  test('counts nobody twice: once by name, and once as who they are', () => {
    const claimed = voter(anonymous, 'ana');
    given(...asking({ ...plain, votes: 2 }), by('ana', decided(APPROVED)))
      .when(votes(claimed))
      .thenFacts('approvalVoted');
  });

  test.each<[string, DemandSpec, facts.Decision, object]>([
    ['a no', ofFinance, REJECTED, {}],
    ['what a rule let run', ofFinance, APPROVED, { byPolicy: true }],
    ['a yes that anybody may say in time', { ...plain, expires: { afterMs: hour, verdict: 'reject' } }, APPROVED, {}],
  ])('counts if it is %s', (_, demand, decision, more) => {
    const settled = given(...asking(demand), decided(decision, more));
    expect(decisionIn(settled.state)).toBe(decision === APPROVED ? 'approved' : 'rejected');
    const rows = new Rows();
    rows.add(settled.log);
    expect(rows.approvals.get(idIn(settled.state))?.status).not.toBe(views.ApprovalStatus.PENDING);
  });
});

test('one that was recorded too early is shown as the vote that it is, and settles nothing', () => {
  const early = given(...asking({ ...ofFinance, votes: 2 }), (state) => {
    const who = { key: 'user:ana', name: 'ana@x.example' };
    return decided(APPROVED, { voter: create(facts.VoterSchema, who) })(state);
  });
  const rows = new Rows();
  rows.add(early.log);
  const approval = rows.approvals.get(idIn(early.state));
  expect([decisionIn(early.state), approval?.status, approval?.votes.length]).toEqual([
    undefined,
    views.ApprovalStatus.PENDING,
    1,
  ]);
  early.when(votes(bob)).thenFacts(['approvalResolved', { decision: APPROVED }]);
});

test('rules count it once people have decided, and not before', () => {
  const asked = given(...asking({ ...ofFinance, votes: 2 })).state;
  const run = asked.run === null ? null : { ...asked.run, soFar: { calls: {}, approvals: 0 } };
  let state: ConversationState = { ...asked, run };
  const approvals = [decided(APPROVED), voted(ana), voted(bob)].map((happening) => {
    state = recorded(happening(state), state.revision).reduce(evolve, state);
    return state.run?.soFar?.approvals;
  });
  expect(approvals).toEqual([0, 0, 1]);
});

test('an approver whom only a later version knows is nobody here, and not everybody', () => {
  const demand = demandFromWire({ demand: create(facts.DemandSchema, { approvers: [{}], votes: 1 }) });
  expect(mayDecide(demand, ana, '', dawn)).toMatchObject({ may: false });
  expect(demand?.approvers.map(approverText)).toEqual(['somebody whom only a later version knows']);
  expect(demand?.approvers.map(approverToWire)).toEqual([{}]);
});
