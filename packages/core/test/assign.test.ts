import { assignApproval, type ConversationState, type Fact, type Principal } from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { interruptsOf } from '../src/state/interrupt.ts';
import { anonymous, asking, group, hour, plain, user, voted, voter, votes } from './demanding.ts';
import { dawn, given } from './specification.ts';
import { canceled } from './story.ts';

/** Who is to look at an approval. */
const somebody = (principal: Principal, claims = '') => ({ principal, voter: voter(principal, claims) });
const [ana, bob, eve] = [somebody(user('ana', ['finance'])), somebody(user('bob', ['finance'])), somebody(user('eve'))];
const boss = somebody(user('boss', [], 'ADMIN'));
const finance = { ...plain, approvers: [group('finance')], votes: 2 };
const asked = asking(finance);

const theOne = (state: ConversationState) => interruptsOf(state.run, 'approval')[0];
const assigns =
  (to: typeof ana | undefined, by: typeof ana, now = dawn) =>
  (state: ConversationState) =>
    assignApproval(state, { approvalId: theOne(state)?.id ?? '', to, by, now });
const assigned =
  (to: typeof ana | undefined) =>
  (state: ConversationState): readonly Fact[] => {
    const decision = assigns(to, bob)(state);
    if (decision.kind !== 'append') throw new Error(decision.kind);
    return decision.facts;
  };
const assigneeIn = (state: ConversationState) => theOne(state)?.assignee;

describe('an approval', () => {
  test('is assigned by who may decide it, or an administrator, to who may decide it', () => {
    const key = { assignee: { key: 'user:ana', name: 'ana@x.example', entitledBy: 'group finance' } };
    expect(
      assigneeIn(
        given(...asked)
          .when(assigns(ana, bob))
          .thenFacts(['approvalAssigned', key]).state,
      ),
    ).toBe('user:ana');
    given(...asked)
      .when(assigns(ana, boss))
      .thenFacts('approvalAssigned');
    given(...asked)
      .when(assigns(ana, eve))
      .thenRefused({ kind: 'not_entitled' });
    given(...asked)
      .when(assigns(boss, bob))
      .thenRefused({ kind: 'assignee' });
    given(...asked)
      .when(assigns(eve, bob))
      .thenRefused({ kind: 'assignee', reason: 'eve@x.example may not decide it; it needs 2 of group finance' });
  });

  test('is assigned to nobody who is not there, and who may not assign it is not told that', () => {
    const nobody = { unknown: 'mia@x.example' };
    const assignsNobody = (by: typeof ana) => (state: ConversationState) =>
      assignApproval(state, { approvalId: theOne(state)?.id ?? '', to: nobody, by, now: dawn });
    given(...asked)
      .when(assignsNobody(bob))
      .thenRefused({ kind: 'assignee', reason: 'no active user has the address mia@x.example' });
    given(...asked)
      .when(assignsNobody(eve))
      .thenRefused({ kind: 'not_entitled' });
    given(...asked, canceled)
      .when(assignsNobody(bob))
      .thenRefused({ kind: 'settled' });
  });

  test('that names nobody is assigned to who may decide in that conversation', () => {
    const plainly = asking(plain);
    given(...plainly)
      .when(assigns(eve, boss))
      .thenRefused({ kind: 'assignee', reason: 'eve@x.example may decide only in conversations of their own' });
    given(...plainly)
      .when(assigns(boss, boss))
      .thenFacts('approvalAssigned');
    const claims = somebody(anonymous, 'carl');
    given(...plainly)
      .when(assigns(claims, claims))
      .thenFacts(['approvalAssigned', { assignee: { key: 'claimed:carl', name: 'carl', claimed: true } }]);
  });

  test('is assigned to somebody else, and to nobody; what is so already is not said again', () => {
    const toAna = given(...asked, assigned(ana));
    toAna.when(assigns(ana, bob)).thenRefused({ kind: 'already' });
    expect(assigneeIn(toAna.when(assigns(bob, bob)).thenFacts('approvalAssigned').state)).toBe('user:bob');
    const toNobody = given(...asked, assigned(ana), assigned(undefined));
    expect(assigneeIn(toNobody.state)).toBeUndefined();
    toNobody.when(assigns(undefined, bob)).thenRefused({ kind: 'already' });
  });

  test('is decided by whoever may, whomever it is assigned to', () => {
    given(...asked, assigned(ana))
      .when(votes(bob.voter))
      .thenFacts('approvalVoted');
    const settled = given(...asked, assigned(ana), voted(bob.voter), voted(ana.voter));
    settled.when(assigns(bob, bob)).thenRefused({ kind: 'settled' });
    given(...asked, voted(ana.voter, approvals.DecisionKind.REJECT))
      .when(assigns(ana, bob))
      .thenRefused({ kind: 'settled' });
  });

  test('is assigned to nobody once its time or its run is over', () => {
    const ends = asking({ ...finance, expires: { afterMs: hour, verdict: 'reject' } });
    given(...ends)
      .when(assigns(ana, bob, dawn + hour - 1))
      .thenFacts('approvalAssigned');
    given(...ends)
      .when(assigns(ana, bob, dawn + hour))
      .thenRefused({ kind: 'past' });
    given(...asked, canceled)
      .when(assigns(ana, bob))
      .thenRefused({ kind: 'settled' });
    given(...asked)
      .when((state) => assignApproval(state, { approvalId: 'of an earlier run', to: ana, by: bob, now: dawn }))
      .thenRefused({ kind: 'past' });
  });

  test('that is settled stays as it is, also if somebody was assigned behind that', () => {
    const late = given(...asked, assigned(ana));
    const fact = assigned(bob)(late.state);
    const settled = given(...asked, assigned(ana), voted(bob.voter), voted(ana.voter), () => fact);
    expect(assigneeIn(settled.state)).toBe('user:ana');
  });
});
