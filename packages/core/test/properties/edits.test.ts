// Random policies, and people who vote on a call, change its arguments and take it back, in any order.
import {
  advance,
  callDigest,
  decidedWord,
  definedAs,
  editCall,
  evolve,
  type Fact,
  resolveApproval,
} from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tierOf } from '../../../../tests/tiers.ts';
import type { ApproverSpec, DemandSpec, Policy, Rule } from '../../src/policy/policy.ts';
import { anonymous, hour, one, voter } from '../demanding.ts';
import { dawn, given, recorded } from '../specification.ts';
import { agentOf, answered, call, digestsWith, llm, opened, said, tools } from '../story.ts';

/** Random worlds of the property. */
const isQuick = tierOf(process.env) === 'quick';
const numRuns = isQuick ? 300 : 4_000;
const { APPROVE, REJECT, WITHDRAW } = approvals.DecisionKind;
const id = 'root#1.0';
/** cleo has asked for the call; the last gives no name at all. */
const people = ['ada', 'bob', 'cleo', 'dan', ''] as const;
const asker = 'cleo';

type Amount = number | undefined;
/** Predicates, and what each says of an amount: nothing, where it cannot be evaluated. The call itself is not one before it. */
const predicates: readonly (readonly [string, (n: Amount) => boolean | undefined])[] = [
  ['args.n > 100.0', (n) => (n === undefined ? undefined : n > 100)],
  ['args.n < 10.0', (n) => (n === undefined ? undefined : n < 10)],
  ['has(args.n)', (n) => n !== undefined],
  ['!has(args.n) || args.n < 100.0', (n) => n === undefined || n < 100],
  ['args.n', () => undefined],
  ['run.calls_of_tool > 0', () => false],
];
const amount = fc.constantFrom<Amount>(undefined, 5, 50, 60, 200, 300);

const approvers = fc.array(
  fc.constantFrom('ada', 'bob', 'cleo', 'dan').map((name): ApproverSpec => one(name)),
  { maxLength: 3 },
);
const afterMs = fc.integer({ min: 1, max: 30 }).map((hours) => hours * hour);
const demands: fc.Arbitrary<DemandSpec> = fc.record(
  {
    approvers,
    votes: fc.integer({ min: 1, max: 3 }),
    notRequester: fc.boolean(),
    expires: fc.record({ afterMs, verdict: fc.constantFrom('reject' as const, 'leave' as const) }),
    remindAfterMs: fc.array(afterMs, { maxLength: 1 }),
    escalations: fc.array(fc.record({ afterMs, to: approvers }), { maxLength: 1 }),
  },
  { requiredKeys: ['approvers', 'votes', 'notRequester', 'remindAfterMs', 'escalations'] },
);

type DrawnRule = { readonly rule: Rule; readonly says: (n: Amount) => boolean | undefined };

const drawnRules: fc.Arbitrary<readonly DrawnRule[]> = fc
  .array(
    fc.record({
      predicate: fc.option(fc.constantFrom(...predicates), { nil: undefined, freq: 6 }),
      verdict: fc.constantFrom('allow' as const, 'ask' as const, 'ask' as const, 'ask' as const, 'deny' as const),
      demand: fc.option(demands, { nil: undefined, freq: 4 }),
    }),
    { maxLength: 4 },
  )
  .map((drawn) =>
    drawn.map(({ predicate, verdict, demand }, index) => ({
      rule: {
        ...{ name: `rule-${index}`, verdict, reason: '' },
        ...(predicate === undefined ? {} : { when: predicate[0] }),
        ...(verdict === 'ask' && demand !== undefined ? { demand } : {}),
      },
      says: predicate?.[1] ?? (() => true),
    })),
  );

const usual = ['yes', 'yes', 'edit', 'edit', 'edit', 'look', 'look', 'look', 'look'] as const;

const happenings = fc
  .array(
    fc.record({
      at: fc.integer({ min: 0, max: 40 }),
      who: fc.constantFrom(...people),
      what: fc.constantFrom(...usual, 'no', 'withdraw'),
      to: amount,
    }),
    { maxLength: 16 },
  )
  .map((all) => [...all].sort((a, b) => a.at - b.at));

/** What the rules make of an amount, as somebody says it who reads them aloud. */
function saidOf(rules: readonly DrawnRule[], n: Amount): { readonly isDenied: boolean; readonly all: DemandSpec[] } {
  const told = rules.map(({ rule, says }) => ({ rule, says: says(n) }));
  const first = told.findIndex(({ says }) => says === true);
  const decides = told[first]?.rule;
  const unknown = told.slice(0, first === -1 ? undefined : first).filter(({ says }) => says === undefined);
  const asking = [...unknown.map(({ rule }) => rule), ...(decides === undefined ? [] : [decides])];
  return { isDenied: decides?.verdict === 'deny', all: asking.flatMap(({ demand }) => demand ?? []) };
}

/** What is asked about a call: by these demands, each of whose escalations comes at its time; all in milliseconds since the first. */
type Asked = {
  readonly all: readonly DemandSpec[];
  readonly escalated: readonly (readonly number[])[];
  readonly end: number;
  /** False: an escalation may come later than it says here. */
  readonly isExact: boolean;
};

/** Asked at a time, in the place of what was asked before: it ends no later, and where the same people decide, they do so no later. */
function askedAt(all: readonly DemandSpec[], ms: number, before: Asked | undefined): Asked {
  const end = Math.min(before?.end ?? Number.POSITIVE_INFINITY, ms + endOf(all));
  const own = all.map(({ escalations }) => escalations.map(({ afterMs }) => ms + afterMs));
  if (before === undefined) return { all, escalated: own, end, isExact: true };
  if (all.length > 1 || before.all.length > 1) {
    // Two demands are made one, which may be the same as another.
    const atOnce = own.map((times) => times.map(() => 0));
    return { all, escalated: atOnce, end, isExact: all.every(({ escalations }) => escalations.length === 0) };
  }
  const isSame = JSON.stringify(all.map(whom)) === JSON.stringify(before.all.map(whom));
  const earlier = own.map((times, one) => times.map((at, index) => Math.min(at, before.escalated[one]?.[index] ?? at)));
  return { all, escalated: isSame ? earlier : own, end, isExact: before.isExact || !isSame };
}

const whom = ({ approvers, votes, notRequester, escalations }: DemandSpec) =>
  [approvers, votes, notRequester, escalations.map(({ to }) => to)] as const;

/** Who may by all that is asked, at a time; `wrote`: those who asked for the call and who changed it. */
const mayBySaying = ({ all, escalated }: Asked, wrote: ReadonlySet<string>, who: string, ms: number): boolean =>
  all.every((demand, one) => mayByOne(demand, escalated[one] ?? [], wrote, who, ms));

function mayByOne(
  { approvers, escalations, ...demand }: DemandSpec,
  times: readonly number[],
  wrote: ReadonlySet<string>,
  who: string,
  ms: number,
): boolean {
  if (who === '' && (demand.votes > 1 || demand.notRequester || approvers.length > 0)) return false;
  if (demand.notRequester && wrote.has(who)) return false;
  if (approvers.length === 0) return true;
  const later = escalations.filter((_, index) => (times[index] ?? 0) <= ms).flatMap(({ to }) => to);
  return [...approvers, ...later].some(({ name }) => name === who);
}

const endOf = (all: readonly DemandSpec[]): number =>
  Math.min(...all.map(({ expires }) => (expires?.verdict === 'reject' ? expires.afterMs : Number.POSITIVE_INFINITY)));

const argumentsOf = (n: Amount) => (n === undefined ? {} : { n });
const { target, pin } = tools.get('remove') ?? expect.unreachable('there is a tool remove');
const server = target.kind === 'tool' ? target.server : '';
const digestOf = (n: Amount): string =>
  callDigest({ server, tool: 'remove', pin, argumentsJson: JSON.stringify(argumentsOf(n)) });

/** How often it came to what the property is about. */
const seen = { edits: 0, editedAndRan: 0, editedAndWaited: 0, keptOut: 0, refusedByRule: 0, expiredAfterEdit: 0 };

test('no edited call runs without what its rules demand, and of votes, edits, withdrawals and the end one wins', () => {
  fc.assert(
    fc.property(drawnRules, amount, fc.boolean(), happenings, (rules, first, isRequired, all) => {
      const policy: Policy = { rules: rules.map(({ rule }) => rule) };
      const agent = agentOf(llm({ approval: isRequired ? 'require' : 'default' }));
      const definitions = definedAs(digestsWith(policy), { agent, tools, policy });
      let { state } = given(
        opened,
        { by: { kind: 'user', id: asker, principal: `claimed:${asker}` }, happening: said('go', { agent, policy }) },
        answered({ calls: [call('remove', argumentsOf(first))] }, { agent, policy }),
      );
      let current = state.run?.calls[id]?.approvalId ?? '';
      // What is not asked about, nobody changes.
      if (state.run?.calls[id]?.phase !== 'waiting') return;
      let n = first;
      let asked = askedAt(saidOf(rules, first).all, 0, undefined);
      let isEdited = false;
      let settled: string | undefined;
      const yes = new Set<string>();
      const wrote = new Set<string>([asker]);
      for (const { at, who, what, to } of all) {
        const ms = at * hour;
        const now = dawn + ms;
        const by = { approvalId: current, voter: voter(anonymous, who), now };
        const kind = what === 'no' ? REJECT : what === 'withdraw' ? WITHDRAW : APPROVE;
        const made =
          what === 'look'
            ? advance(definitions, state, now)
            : what === 'edit'
              ? editCall(state, { ...by, argumentsJson: JSON.stringify(argumentsOf(to)) }, definitions)
              : resolveApproval(state, { ...by, decision: { kind } });
        const written: readonly Fact[] = 'facts' in made ? made.facts : [];
        const before = asked;
        const isOver = ms >= before.end;
        const may = mayBySaying(before, wrote, who, ms);
        const isWaiting = settled === undefined && !isOver;
        if (settled !== undefined && what !== 'look') expect(written, 'what is decided stays decided').toEqual([]);
        if (what !== 'look' && written.length > 0) {
          expect(isOver, 'nothing is taken after the end').toBe(false);
          expect(may || (what === 'withdraw' && who === asker), `${who} may ${what}`).toBe(true);
        }
        if (what === 'edit') {
          const after = saidOf(rules, to);
          if (written.length > 0) {
            expect(after.isDenied, 'what a rule forbids is not called').toBe(false);
            seen.edits += 1;
            [n, isEdited] = [to, true];
            asked = askedAt(after.all, ms, before);
            yes.clear();
            wrote.add(who);
            const isNamed = !wrote.has('') || after.all.every(({ notRequester }) => !notRequester);
            expect(isNamed, 'who must not decide it is known').toBe(true);
            if (after.all.some(({ notRequester }) => notRequester)) seen.keptOut += 1;
          } else if (isWaiting && may && before.isExact && before.all.length < 2 && after.all.length < 2 && to !== n) {
            // Nothing else stands against it; of two demands nobody may be left who may decide by both.
            const isUnknown = (who === '' || wrote.has('')) && after.all[0]?.notRequester === true;
            expect(after.isDenied || isUnknown, 'a change is refused for what a rule says').toBe(true);
            seen.refusedByRule += 1;
          }
        }
        for (const event of recorded(written, state.revision, { kind: 'approver', id: who })) {
          state = evolve(state, { ...event, time: now });
          const { fact } = event;
          if (fact.case === 'approvalRequested') current = fact.value.approvalId;
          const isYes =
            fact.case === 'approvalVoted' ||
            (fact.case === 'approvalResolved' && decidedWord(fact.value.decision) === 'approved');
          if (isYes) {
            yes.add(who);
            expect(mayBySaying(asked, wrote, who, ms), `${who} may let ${n} run`).toBe(true);
          }
          if (fact.case !== 'approvalResolved') continue;
          // Of the approval that a change has ended nothing follows.
          const word = decidedWord(fact.value.decision);
          if (what === 'edit' && word === 'withdrawn') continue;
          expect(settled, 'one of them wins').toBeUndefined();
          settled = word;
          expect(fact.value.approvalId).toBe(current);
          if (word === 'expired' && isEdited) seen.expiredAfterEdit += 1;
        }
        if (what === 'edit' && written.length > 0) {
          const mayThat = asked.all.length < 2 && asked.isExact && mayBySaying(asked, wrote, who, ms);
          if (mayThat) expect(yes.has(who), 'who changes it says yes to it, if they may').toBe(true);
        }
        if (what === 'look' && isOver) expect(settled, 'a change puts no end off').toBeDefined();
        const isReady = state.run?.calls[id]?.phase === 'ready';
        expect(isReady, 'it runs once it is approved, and not before').toBe(settled === 'approved');
        if (isEdited && settled === undefined) seen.editedAndWaited += 1;
        if (!isReady) continue;
        if (isEdited) seen.editedAndRan += 1;
        const needed = Math.max(1, ...asked.all.map(({ votes }) => votes));
        expect(yes.size, `so many have said yes to ${n}`).toBe(needed);
        expect(state.run?.calls[id]?.digest, 'what runs is what they have said yes to').toBe(digestOf(n));
      }
    }),
    { numRuns },
  );
  // Of a few hundred worlds none may be of a rare kind.
  if (!isQuick) for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
});
