import { type ConversationState, fact, resolveApproval } from '@stopgo/core';
import { approvals, facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import type { DemandSpec } from '../src/policy/policy.ts';
import { approvalIn, decisionOn } from '../src/state/interrupt.ts';
import { sha256Hex } from '../src/text/digest.ts';
import { asking, group, plain, user, voted, voter } from './demanding.ts';
import { Rows } from './rows.ts';
import { by, dawn, given, type Happening } from './specification.ts';
import { approvalOf, claim, drove, starts, unknown } from './story.ts';

/** What a call in doubt came to is taken from people only as far as enough of them say the same. */
const { HAPPENED } = approvals.DecisionKind;
const id = 'root#1.0';
const of = (name: string) => voter(user(name, ['finance']));
const [ana, bob, eve] = [of('ana'), of('bob'), of('eve')];

const inDoubt = (votes: number): readonly Happening[] => {
  const demand: DemandSpec = { ...plain, approvers: [group('finance')], votes };
  const before = [ana, bob, eve].slice(0, votes).map((who) => by(who.name, voted(who)));
  return [...asking(demand), ...before, drove([claim, starts(id)]), drove([unknown(id)])];
};
const says = (who: typeof ana, result: string) => (state: ConversationState) =>
  resolveApproval(state, {
    ...{ approvalId: approvalOf(state), voter: who, now: dawn },
    decision: { kind: HAPPENED, result },
  });
const said = (who: typeof ana, result: string): Happening =>
  by(who.name, (state) => {
    const decision = says(who, result)(state);
    if (decision.kind !== 'append') throw new Error(JSON.stringify(decision));
    return decision.facts;
  });

describe('two who say that a call happened', () => {
  test('and say the same result, decide', () => {
    given(...inDoubt(2), said(ana, 'booked'))
      .when(says(bob, 'booked'))
      .thenFacts(['approvalResolved', { decision: facts.Decision.HAPPENED, result: 'booked' }]);
  });

  test('and say different results, do not: each is shown, and a third decides for one of them', () => {
    const differing = [...inDoubt(2), said(ana, 'failed')] as const;
    given(...differing)
      .when(says(bob, 'booked'))
      .thenFacts(['approvalVoted', { decision: facts.Decision.HAPPENED, resultDigest: sha256Hex('booked') }]);
    const both = given(...differing, said(bob, 'booked'));
    const rows = new Rows();
    rows.add(both.log);
    expect(rows.approvals.get(approvalOf(both.state))?.votes).toMatchObject([
      { voter: { name: 'ana@x.example' }, resultDigest: sha256Hex('failed') },
      { voter: { name: 'bob@x.example' }, resultDigest: sha256Hex('booked') },
    ]);
    both.when(says(eve, 'booked')).thenFacts(['approvalResolved', { result: 'booked' }]);
    both.when(says(eve, '')).thenFacts('approvalVoted');
  });

  test('may say another result, and take back the one before', () => {
    const again = given(...inDoubt(3), said(ana, 'failed'), said(ana, 'booked'));
    expect(again.when(says(ana, 'booked')).decision).toMatchObject({ kind: 'voted', missing: 2 });
    const more = given(...inDoubt(3), said(ana, 'failed'), said(ana, 'booked'), said(bob, 'failed'));
    more.when(says(eve, 'failed')).thenFacts('approvalVoted');
    more.when(says(eve, 'booked')).thenFacts('approvalVoted');
    expect(Object.values(more.state.run?.interrupts ?? {}).at(-1)).toMatchObject({
      votes: [{ by: 'ana@x.example' }, { by: 'bob@x.example' }],
    });
  });
});

test('a record that was made up decides nothing with two results: the fold counts for itself', () => {
  const { state } = given(...inDoubt(2), said(ana, 'failed'), (before) => [
    fact('approvalResolved', {
      ...{ approvalId: approvalOf(before), runId: before.run?.id ?? '', decision: facts.Decision.HAPPENED },
      ...{ result: 'booked', voter: { key: 'user:bob', name: 'bob' } },
    }),
  ]);
  const approval = approvalIn(state.run, approvalOf(state));
  expect(approval && decisionOn(approval)).toBeUndefined();
  expect(state.run?.calls[id]?.phase).toBe('in_doubt');
});

test('a vote of before results were compared counts with any', () => {
  const old: Happening = (state) => {
    const decision = says(ana, 'failed')(state);
    const [first] = decision.kind === 'append' ? decision.facts : [];
    if (first?.case !== 'approvalVoted') throw new Error('expected a vote');
    return [fact('approvalVoted', { ...first.value, resultDigest: '' })];
  };
  given(...inDoubt(2), old)
    .when(says(bob, 'booked'))
    .thenFacts(['approvalResolved', { result: 'booked' }]);
  const { state } = given(...inDoubt(2), old, said(bob, 'booked'));
  expect(state.run?.calls[id]).toMatchObject({ phase: 'done', outcome: 'happened' });
});
