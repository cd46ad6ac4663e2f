import { type Fact, fact } from '@stopgo/core';
import { create, facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import type { LoggedConversation } from '../promises/read-log.ts';
import { demandsOf, lostVotes, noticesOf, wrongNotices } from './demands.ts';

const { APPROVED, EXPIRED, REJECTED } = facts.Decision;
const who = (name: string) => ({ who: { case: 'user', value: name } }) as const;
const asked: Fact = fact('approvalRequested', {
  ...{ approvalId: 'a', runId: 'r', notify: ['desk'] },
  demand: create(facts.DemandSchema, { votes: 2, approvers: ['ann', 'bob'].map(who) }),
  expiresAt: { $typeName: 'google.protobuf.Timestamp', seconds: 9n, nanos: 0 },
});
const voter = (name: string) => create(facts.VoterSchema, { key: `claimed:${name}`, name });
const said = (
  name: string,
  decision: facts.Decision = APPROVED,
  of: 'approvalVoted' | 'approvalResolved' = 'approvalVoted',
  key = name,
): Fact =>
  fact(of, {
    ...{ approvalId: 'a', runId: 'r', decision, voter: voter(name) },
    idempotency: create(facts.IdempotencySchema, { key }),
  });
const approved = (name: string): Fact => said(name, APPROVED, 'approvalResolved');
const reminded = (number = 1): Fact => fact('approvalReminded', { approvalId: 'a', runId: 'r', number });
const ended: Fact = fact('approvalResolved', { approvalId: 'a', runId: 'r', decision: EXPIRED });

/** A conversation with an event each second. */
const told = (...all: readonly Fact[]): LoggedConversation => ({
  id: 'c',
  events: all.map((one, index) => ({
    ...{ stream: 'conversation-c', revision: index + 1, eventId: '', time: 1_000 * index },
    ...{ actor: { kind: 'system', id: 'o' }, causationId: '', correlationId: '', fact: one },
  })),
});
const late = (count: number): readonly Fact[] =>
  Array.from({ length: count }, () => fact('runReleased', { runId: 'r' }));

describe('what rules demand', () => {
  test.each<[string, readonly Fact[]]>([
    ['two of those who may', [asked, reminded(), said('ann'), reminded(2), approved('bob')]],
    ['one no', [asked, said('bob', REJECTED, 'approvalResolved')]],
    ['its time', [asked, ...late(8), ended]],
  ])('is kept by %s', (_, all) => {
    expect(demandsOf(told(...all))).toEqual([]);
  });

  test.each<[string, readonly Fact[], string]>([
    ['by one alone', [asked, approved('ann')], 'a is approved by 1 of 2'],
    ['by one who says it twice', [asked, said('ann'), approved('ann')], 'ann says yes to a twice'],
    ['by somebody else', [asked, said('ann'), approved('eve')], 'eve decides a'],
    ['before its time', [asked, ended], 'a is over before its time'],
    [
      'twice',
      [asked, said('ann'), approved('bob'), said('bob', REJECTED, 'approvalResolved')],
      'a is decided once more',
    ],
    ['with a reminder told twice', [asked, reminded(), reminded()], 'approvalReminded 1 of a once more'],
    [
      'with a reminder of what is over',
      [asked, ...late(8), ended, reminded()],
      'approvalReminded 1 of a, which is over',
    ],
  ])('is not kept %s', (_, all, problem) => {
    expect(demandsOf(told(...all)).join()).toContain(problem);
  });

  test('a vote that was acknowledged is on the record', () => {
    const log = [told(asked, said('ann'), approved('bob'))];
    const votes = ['ann', 'bob'].map((key) => ({ conversationId: 'c', key }));
    expect(lostVotes(votes, log)).toEqual([]);
    expect(lostVotes([{ conversationId: 'c', key: 'cleo' }], log)).toHaveLength(1);
    expect(lostVotes([{ conversationId: 'd', key: 'ann' }], log)).toHaveLength(1);
  });

  test('a webhook is told of every event of the approvals that name it, and of nothing else', () => {
    const other = fact('approvalRequested', { approvalId: 'b', runId: 'r' });
    const expected = noticesOf('desk', [told(asked, other, reminded(), said('ann'), approved('bob'))]);
    expect(expected.map(({ id, type }) => [id, type])).toEqual([
      ['c:1:desk', 'approval.requested'],
      ['c:3:desk', 'approval.reminded'],
      ['c:4:desk', 'approval.voted'],
      ['c:5:desk', 'approval.resolved'],
    ]);
    expect(wrongNotices(expected, [...expected, ...expected])).toEqual([]);
    expect(wrongNotices(expected, expected.slice(1))).toEqual([
      'a webhook was not told of c:1:desk approval.requested a',
    ]);
    const [first] = expected;
    expect(wrongNotices([], first === undefined ? [] : [first])).toHaveLength(1);
  });
});
