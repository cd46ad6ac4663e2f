import { advance, definedAs, type OfferedTool } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tierOf } from '../../../../tests/tiers.ts';
import type { DemandSpec, Policy, Rule } from '../../src/policy/policy.ts';
import { by, dawn, given } from '../specification.ts';
import { agentOf, answered, call, canceled, digestsWith, grants, llm, opened, said, tool } from '../story.ts';

/** Random policies and calls per property. */
const numRuns = tierOf(process.env) === 'quick' ? 200 : 1_000;
const { ALLOWED, AUTO_APPROVED, GATED, REFUSED } = facts.Disposition;

/** Predicates, and what each says of an amount: nothing, where it cannot be evaluated. */
const predicates: readonly (readonly [string, (amount: number | undefined) => boolean | undefined])[] = [
  ['args.amount > 10.0', (amount) => (amount === undefined ? undefined : amount > 10)],
  ['has(args.amount)', (amount) => amount !== undefined],
  ['!has(args.amount) || args.amount <= 10.0', (amount) => amount === undefined || amount <= 10],
  ['args.amount', () => undefined],
];

const demand: fc.Arbitrary<DemandSpec> = fc.record({
  approvers: fc.constantFrom([], [{ kind: 'group' as const, name: 'finance' }]),
  votes: fc.integer({ min: 1, max: 3 }),
  notRequester: fc.boolean(),
  remindAfterMs: fc.constant([]),
  escalations: fc.constant([]),
});

type DrawnRule = { readonly rule: Rule; readonly says: (amount: number | undefined) => boolean | undefined };

const rules: fc.Arbitrary<readonly DrawnRule[]> = fc
  .array(
    fc.record({
      tool: fc.constantFrom(undefined, 'p*', 'pay', 'read', '?ay', 'x'),
      destructive: fc.constantFrom(undefined, true, false),
      predicate: fc.option(fc.constantFrom(...predicates), { nil: undefined }),
      verdict: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
      demand: fc.option(demand, { nil: undefined }),
    }),
    { maxLength: 5 },
  )
  .map((drawn) =>
    drawn.map(({ tool: glob, destructive, predicate, verdict, demand: demanded }, index) => ({
      rule: {
        name: `rule-${index}`,
        verdict,
        reason: '',
        ...(glob === undefined ? {} : { tool: glob }),
        ...(destructive === undefined ? {} : { annotations: { destructive } }),
        ...(predicate === undefined ? {} : { when: predicate[0] }),
        ...(verdict === 'ask' && demanded !== undefined ? { demand: demanded } : {}),
      },
      says: predicate?.[1] ?? (() => true),
    })),
  );

const offered: fc.Arbitrary<OfferedTool> = fc
  .record({ name: fc.constantFrom('pay', 'read', 'pax'), destructive: fc.boolean(), approvalRequired: fc.boolean() })
  .map(({ name, destructive, approvalRequired }) => tool(name, { destructive }, { approvalRequired }));

const worlds = fc.record({
  rules,
  offered,
  amount: fc.constantFrom(undefined, 5, 50),
  isInside: fc.boolean(),
  isRequired: fc.boolean(),
  standing: fc.constantFrom('none', 'same', 'any'),
});

/** Whether a rule is about a tool, told anew: patterns of these tests have a star at their end, or a sign for any letter. */
function isAbout({ tool: glob, annotations }: Rule, { name, hints }: OfferedTool): boolean {
  const pattern = new RegExp(`^${(glob ?? '*').replaceAll('?', '.').replaceAll('*', '.*')}$`);
  return pattern.test(name) && (annotations?.destructive ?? hints.destructive) === hints.destructive;
}

test('no call runs without what its rule demands', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const policy: Policy = { rules: world.rules.map(({ rule }) => rule) };
      const node = llm({ approval: world.isRequired ? 'require' : 'default' });
      const step = world.isInside ? 'root/0' : 'root';
      const agent = agentOf(world.isInside ? { type: 'parallel', name: 'p', onError: 'fail', children: [node] } : node);
      const tools = new Map([[world.offered.name, world.offered]]);
      const how = { agent, tools, policy };
      const asks = call(world.offered.name, world.amount === undefined ? {} : { amount: world.amount });
      // Somebody may have let the like of it run, in a run before that had no rules.
      const plain = { tools: new Map([[world.offered.name, { ...world.offered, approvalRequired: true }]]) };
      const before =
        world.standing === 'none'
          ? []
          : [
              ...[said('first', { runId: 'run-0' }), answered({ calls: [asks] }, plain)],
              by('ada', grants('root#1.0', world.standing === 'same' ? 'same' : 'any')),
              canceled,
            ];
      const { state, log } = given(
        opened,
        ...before,
        said('go', { agent, policy }),
        answered({ calls: [asks], step }, how),
      );
      const judged = log.map(({ fact }) => fact).findLast((fact) => fact.case === 'modelResponded')?.value.calls[0];
      if (judged === undefined) throw new Error('the call was not recorded');
      const about = world.rules.filter(({ rule }) => isAbout(rule, world.offered));
      const told = about.map(({ rule, says }) => ({ rule, says: says(world.amount) }));
      const first = told.findIndex(({ says }) => says === true);
      const decides = first === -1 ? undefined : told[first]?.rule;
      const unknown = told.slice(0, first === -1 ? undefined : first).filter(({ says }) => says === undefined);

      const runs = judged.disposition === ALLOWED || judged.disposition === AUTO_APPROVED;
      const asked = state.run?.interrupts;
      // What the effects say is what happens: a call that waits is not among them.
      const definitions = definedAs(digestsWith(policy), { agent, tools, policy });
      const owed = advance(definitions, state, dawn).effects.filter(({ kind }) => kind === 'call');
      expect(owed.length > 0).toBe(runs);

      if (decides?.verdict === 'deny') expect(judged.disposition).toBe(REFUSED);
      if (world.offered.approvalRequired && runs) expect.unreachable('approval: require of a server was loosened');
      if (world.isRequired && world.offered.hints.destructive && runs) expect.unreachable('that of a node was');
      if (unknown.length > 0 && runs) expect.unreachable('what nobody knows ran');
      const demanded = [...unknown.map(({ rule }) => rule), ...(decides === undefined ? [] : [decides])].filter(
        ({ verdict, demand: one }) => verdict === 'ask' && one !== undefined,
      );
      if (decides?.verdict === 'ask' || unknown.length > 0) {
        const isAsked = judged.disposition === GATED || judged.disposition === REFUSED;
        const mayStand = demanded.length === 0 && unknown.length === 0 && state.standing !== undefined;
        expect(isAsked || mayStand, 'it is asked about, or the like of it was').toBe(true);
      }
      if (demanded.length > 0 && judged.disposition !== REFUSED) {
        expect(judged.disposition, 'a demand is asked about').toBe(GATED);
        const request = log.map(({ fact }) => fact).findLast((fact) => fact.case === 'approvalRequested')?.value;
        const all = demanded.flatMap(({ demand: one }) => one ?? []);
        expect(request?.demand, 'the request says all that is demanded').toMatchObject({
          votes: Math.max(...all.map(({ votes }) => votes)),
          notRequester: all.some(({ notRequester }) => notRequester),
          approvers: { length: all.some(({ approvers }) => approvers.length > 0) ? 1 : 0 },
        });
      }
      if (judged.disposition === AUTO_APPROVED || judged.disposition === GATED) {
        const approvals = Object.values(asked ?? {}).filter(
          (one) => one.kind === 'approval' && one.callId === judged.callId,
        );
        expect(approvals, 'a call that the defaults or a rule ask about has an approval of its own').toHaveLength(1);
      }
    }),
    { numRuns },
  );
});
