import { fact } from '@stopgo/core';
import type { facts } from '@stopgo/proto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mayDecide } from '../../src/interrupts/may-decide.ts';
import { demandAt } from '../../src/policy/demand-at.ts';
import { mergeDemands } from '../../src/policy/merge-demands.ts';
import type { ApproverSpec, DemandSpec } from '../../src/policy/policy.ts';
import { type Demand, demandFromWire } from '../../src/state/demand.ts';
import { group, one, plain, role, user, voter } from '../demanding.ts';
import { dawn } from '../specification.ts';

const approvers = fc.uniqueArray(
  fc.constantFrom<ApproverSpec>(
    ...[group('finance'), group('ops'), role('USER'), role('ADMIN'), one('ana@x.example'), one('ANA@x.example')],
    one('bob@x.example'),
  ),
  { maxLength: 4, selector: ({ kind, name }) => kind + name },
);
const afterMs = fc.integer({ min: 1, max: 20 });
const inOrder = <T>(of: fc.Arbitrary<T>, by: (some: T) => number) =>
  fc.array(of, { maxLength: 3 }).map((all) => [...all].sort((a, b) => by(a) - by(b)));
const demands: fc.Arbitrary<DemandSpec> = fc.record(
  {
    approvers,
    votes: fc.integer({ min: 1, max: 3 }),
    notRequester: fc.boolean(),
    expires: fc.record({ afterMs, verdict: fc.constantFrom('reject' as const, 'leave' as const) }),
    remindAfterMs: inOrder(afterMs, (ms) => ms),
    escalations: inOrder(fc.record({ afterMs, to: approvers }), (escalation) => escalation.afterMs),
  },
  { requiredKeys: ['approvers', 'votes', 'notRequester', 'remindAfterMs', 'escalations'] },
);
const people = fc.record({
  id: fc.constantFrom('ana', 'bob', 'eve'),
  groups: fc.subarray(['finance', 'ops']),
  has: fc.constantFrom('USER' as const, 'ADMIN' as const, 'SUPER_ADMIN' as const),
});

const recorded = (spec: DemandSpec): Demand =>
  demandFromWire(fact('approvalRequested', demandAt(spec, dawn) as never).value as facts.ApprovalRequested) as Demand;

const endOf = ({ expires }: DemandSpec): number =>
  expires?.verdict === 'reject' ? expires.afterMs : Number.POSITIVE_INFINITY;

test('who may decide by two demands made one may decide by each, at any time, and as many have to', () => {
  fc.assert(
    fc.property(demands, demands, people, fc.integer({ min: 0, max: 25 }), (first, second, { id, groups, has }, ms) => {
      const merged = mergeDemands(first, second)?.demand;
      if (merged === undefined) return;
      const may = (demand: DemandSpec) =>
        mayDecide(recorded(demand), voter(user(id, groups, has)), 'user:eve', dawn + ms).may;
      for (const each of [first, second]) {
        if (may(merged)) expect(may(each)).toBe(true);
        expect(merged.votes).toBeGreaterThanOrEqual(each.votes);
        expect(endOf(merged)).toBeLessThanOrEqual(endOf(each));
      }
      const told = [...merged.remindAfterMs, ...merged.escalations.map((escalation) => escalation.afterMs)];
      expect(Math.max(0, ...told), 'nothing is told after the end').toBeLessThan(endOf(merged));
    }),
    { numRuns: 1_000 },
  );
});

test('a demand made one with itself, or with none, is the same for everybody', () => {
  fc.assert(
    fc.property(demands, people, fc.integer({ min: 0, max: 25 }), (demand, { id, groups, has }, ms) => {
      expect(mergeDemands(demand, undefined)).toEqual({ demand });
      expect(mergeDemands(undefined, demand)).toEqual({ demand });
      const merged = mergeDemands(demand, demand)?.demand;
      const named = demand.approvers;
      const different = new Set(named.map(({ name }) => name.toLowerCase())).size;
      const tooFew = named.length > 0 && different < demand.votes && named.every(({ kind }) => kind === 'user');
      expect(merged === undefined, 'what nobody could ever fulfil is no demand').toBe(tooFew);
      if (merged === undefined) return;
      const who = voter(user(id, groups, has));
      const [once, twice] = [demand, merged].map((spec) => mayDecide(recorded(spec), who, 'user:eve', dawn + ms).may);
      // Nobody decides after the end, whomever it would escalate to by then: that is left out of what is made one.
      if (ms < endOf(demand)) expect(twice).toBe(once);
      expect(merged).toMatchObject({ votes: demand.votes, notRequester: demand.notRequester });
      expect(merged.expires).toEqual(demand.expires);
    }),
    { numRuns: 1_000 },
  );
});

test.each<[what: string, one: Partial<DemandSpec>, other: Partial<DemandSpec>, both: Partial<DemandSpec> | undefined]>([
  ['a list and none', { approvers: [group('finance')] }, { votes: 2 }, { approvers: [group('finance')], votes: 2 }],
  [
    'two lists with one in common',
    { approvers: [group('finance'), group('ops')] },
    { approvers: [role('ADMIN'), group('ops')] },
    { approvers: [group('ops')] },
  ],
  [
    'a role and a higher one',
    { approvers: [role('USER')] },
    { approvers: [role('ADMIN')] },
    { approvers: [role('ADMIN')] },
  ],
  ['two lists with nothing in common', { approvers: [group('finance')] }, { approvers: [group('ops')] }, undefined],
  ['fewer people than votes', { approvers: [one('a'), one('b')], votes: 2 }, { approvers: [one('a')] }, undefined],
  [
    'two ends',
    { expires: { afterMs: 5, verdict: 'leave' }, remindAfterMs: [3, 7] },
    { expires: { afterMs: 7, verdict: 'reject' } },
    { expires: { afterMs: 7, verdict: 'reject' }, remindAfterMs: [3] },
  ],
  [
    'an escalation of one, to whom the other names',
    { approvers: [group('ops')], escalations: [{ afterMs: 5, to: [role('ADMIN')] }] },
    { approvers: [group('ops'), role('ADMIN')] },
    { approvers: [group('ops')], escalations: [{ afterMs: 5, to: [role('ADMIN')] }] },
  ],
  [
    'an escalation of one, to whom the other does not name',
    { approvers: [group('ops')], escalations: [{ afterMs: 5, to: [group('finance')] }] },
    { approvers: [group('ops')] },
    { approvers: [group('ops')] },
  ],
])('%s', (_, first, second, both) => {
  const merged = mergeDemands({ ...plain, ...first }, { ...plain, ...second });
  expect(merged).toEqual(both && { demand: { ...plain, ...both } });
});
