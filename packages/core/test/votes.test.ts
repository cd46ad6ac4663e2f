import { decisionOn } from '@stopgo/core';
import { expect, test } from 'vitest';
import type { Decided } from '../src/events/decisions.ts';
import type { Approval } from '../src/state/interrupt.ts';

/** What settles an approval that needs so many, after these have voted. */
function settledBy(votesNeeded: number, ...votes: readonly (readonly [by: string, kind: Decided])[]) {
  const approval: Approval = {
    ...{ kind: 'approval', id: 'a', callId: 'root#1.0', requestedAt: 1, of: 'call', choices: ['approve', 'reject'] },
    votes: votes.map(([by, kind], at) => ({ by, kind, at })),
    votesNeeded,
  };
  return decisionOn(approval)?.by;
}

test('one yes settles what needs one, and later votes change nothing', () => {
  expect(settledBy(1)).toBeUndefined();
  expect(settledBy(1, ['ada', 'approved'])).toBe('ada');
  expect(settledBy(1, ['ada', 'approved'], ['bob', 'rejected'])).toBe('ada');
});

test('what needs two is settled by the second person who says yes, and not by one who says it twice', () => {
  expect(settledBy(2, ['ada', 'approved'])).toBeUndefined();
  expect(settledBy(2, ['ada', 'approved'], ['ada', 'approved'])).toBeUndefined();
  expect(settledBy(2, ['ada', 'approved'], ['ada', 'approved'], ['bob', 'approved'])).toBe('bob');
});

test('one person under two names is one', () => {
  const approval: Approval = {
    ...{ kind: 'approval', id: 'a', callId: 'root#1.0', requestedAt: 1, of: 'call', choices: ['approve', 'reject'] },
    votes: ['ada', 'bob'].map((by, at) => ({ by, kind: 'approved' as const, at, voter: 'user:1' })),
    votesNeeded: 2,
  };
  expect(decisionOn(approval)).toBeUndefined();
});

test('yes to different things do not add up', () => {
  expect(settledBy(2, ['ada', 'run_again'], ['bob', 'happened'])).toBeUndefined();
});

test.each(['rejected', 'expired', 'withdrawn', 'give_up'] as const)(
  'however many yes are needed, "%s" settles it',
  (no) => {
    expect(settledBy(3, ['ada', 'approved'], ['bob', no])).toBe('bob');
  },
);
