import { decidedWord, evolve, isDue, resolveApproval } from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApproverSpec, DemandSpec } from '../../src/policy/policy.ts';
import { anonymous, asking, hour, looksAt, one, voter } from '../demanding.ts';
import { dawn, given, recorded } from '../specification.ts';
import { approvalOf } from '../story.ts';

const { APPROVE, REJECT, WITHDRAW } = approvals.DecisionKind;
const kinds = { yes: APPROVE, no: REJECT, withdraw: WITHDRAW } as const;
const id = 'root#1.0';
/** cleo has asked for the call; the last gives no name at all. */
const people = ['ada', 'bob', 'cleo', 'dan', ''] as const;

const approvers = fc.array(
  fc.constantFrom('ada', 'bob', 'cleo', 'dan').map((name): ApproverSpec => one(name)),
  { maxLength: 3 },
);
const afterMs = fc.integer({ min: 1, max: 30 }).map((hours) => hours * hour);
const inOrder = <T>(maxLength: number, of: fc.Arbitrary<T>, by: (one: T) => number) =>
  fc.array(of, { maxLength }).map((all) => [...all].sort((a, b) => by(a) - by(b)));
const demands: fc.Arbitrary<DemandSpec> = fc.record(
  {
    approvers,
    votes: fc.integer({ min: 1, max: 3 }),
    notRequester: fc.boolean(),
    expires: fc.record({ afterMs, verdict: fc.constantFrom('reject' as const, 'leave' as const) }),
    remindAfterMs: inOrder(3, afterMs, (ms) => ms),
    escalations: inOrder(2, fc.record({ afterMs, to: approvers }), (escalation) => escalation.afterMs),
  },
  { requiredKeys: ['approvers', 'votes', 'notRequester', 'remindAfterMs', 'escalations'] },
);

/** What happens, after so many hours: somebody says something, or whoever drives the run looks. */
const happenings = inOrder(
  12,
  fc.record({
    at: fc.integer({ min: 0, max: 40 }),
    who: fc.constantFrom(...people),
    what: fc.constantFrom('yes', 'yes', 'yes', 'no', 'withdraw', 'look'),
  }),
  ({ at }) => at,
);

/** Who may, as somebody says it who reads the rule aloud: written without a look at what is tested. */
function mayBySaying(demand: DemandSpec, who: string, hours: number): boolean {
  if (who === '' && (demand.votes > 1 || demand.notRequester || demand.approvers.length > 0)) return false;
  if (demand.notRequester && who === 'cleo') return false;
  if (demand.approvers.length === 0) return true;
  const later = demand.escalations.filter((escalation) => escalation.afterMs <= hours * hour).flatMap(({ to }) => to);
  return [...demand.approvers, ...later].some(({ name }) => name === who);
}

test('no call runs without what is demanded, and of votes, withdrawals and the end in any order one wins', () => {
  fc.assert(
    fc.property(demands, happenings, (demand, all) => {
      let { state } = given(...asking(demand, 'claimed:cleo'));
      const approvalId = approvalOf(state, id);
      const end = demand.expires?.verdict === 'reject' ? demand.expires.afterMs : Number.POSITIVE_INFINITY;
      const saidYes = new Set<string>();
      const told: string[] = [];
      let settled: string | undefined;
      for (const { at, who, what } of all) {
        const now = dawn + at * hour;
        const isOver = settled === undefined && at * hour >= end;
        const made =
          what === 'look'
            ? looksAt(now)(state)
            : resolveApproval(state, {
                ...{ approvalId, decision: { kind: kinds[what as 'yes'] }, now },
                voter: voter(anonymous, who),
              });
        const facts = 'facts' in made ? made.facts : [];
        for (const event of recorded(facts, state.revision, { kind: 'approver', id: who })) {
          state = evolve(state, { ...event, time: now });
          const { fact } = event;
          if (fact.case === 'approvalReminded' || fact.case === 'approvalEscalated') {
            expect(settled, 'nobody is told of what is over').toBeUndefined();
            told.push(`${fact.case} ${fact.value.number}`);
          }
          if (fact.case === 'approvalVoted') saidYes.add(who);
          if (fact.case !== 'approvalResolved') continue;
          expect(settled, 'one of them wins').toBeUndefined();
          settled = decidedWord(fact.value.decision);
          if (settled !== 'approved') continue;
          saidYes.add(who);
          expect(saidYes.size, 'so many different people have said yes').toBe(demand.votes);
        }
        if (what === 'look') {
          if (isOver) expect(settled, 'what is over is so for whoever looks').toBe('expired');
          expect(isDue(state.run, now), 'all that is due is on the record').toBe(false);
        } else if (facts.length > 0) {
          expect(isOver, 'nothing is taken after the end').toBe(false);
          const isOwn = what === 'withdraw' && who === 'cleo';
          expect(isOwn || mayBySaying(demand, who, at), `${who} may say ${what}`).toBe(true);
        } else if (settled === undefined && !isOver && 'kind' in made && made.kind !== 'voted') {
          expect(made.kind).toBe('not_entitled');
          expect(mayBySaying(demand, who, at), `${who} may not say ${what}`).toBe(false);
        }
      }
      expect(new Set(told).size, 'each is told once').toBe(told.length);
      const phase = state.run?.calls[id]?.phase;
      if (settled === 'approved') expect(phase).toBe('ready');
      else expect(['waiting', 'done', undefined]).toContain(phase);
    }),
    { numRuns: 300 },
  );
});
