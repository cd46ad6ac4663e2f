import { expect, test } from 'vitest';
import type { Policy, Rule } from '../src/policy/policy.ts';
import { user, voted, voter } from './demanding.ts';
import { demand, rule } from './rules.ts';
import { by, given, type Happening } from './specification.ts';
import { answered, call, changed, claim, drove, opened, said, starts, tool } from './story.ts';

/** Which webhooks are told of an approval: those of every rule whose demands it holds. */
const told = (policy: Policy, ...more: readonly Happening[]) =>
  given(
    opened,
    { by: { kind: 'user', id: 'asker@x.example', principal: 'user:asker' }, happening: said('go', { policy }) },
    answered({ calls: [call('add')] }, { policy }),
    ...more,
  ).log.flatMap(({ fact }) => (fact.case === 'approvalRequested' ? [[...fact.value.notify].sort()] : []));

const failing = 'args.missing > 1';
const asks = (name: string, notify: readonly string[] | undefined, more: Partial<Rule> = {}): Rule =>
  rule(name, 'ask', { ...more, ...(notify && { notify }) });

test('a rule that nobody can evaluate and the one after it are both told', () => {
  const rules = [
    asks('a', ['one'], { when: failing, demand }),
    asks('b', ['two', 'one'], { demand }),
    asks('c', ['no']),
  ];
  expect(told({ rules })).toEqual([['one', 'two']]);
  // One without webhooks of its own has those of the policy.
  const [, b] = rules as [Rule, Rule];
  expect(told({ rules: [asks('a', undefined, { when: failing }), b], notify: ['all'] })).toEqual([
    ['all', 'one', 'two'],
  ]);
  expect(told({ rules: [asks('a', [], { when: failing }), b], notify: ['all'] })).toEqual([['one', 'two']]);
});

test('what a rule would allow adds nobody, and what no rule asks for is told as the policy says', () => {
  const allowed = rule('b', 'allow');
  expect(told({ rules: [asks('a', ['one'], { when: failing }), allowed], notify: ['all'] })).toEqual([['one']]);
  expect(told({ rules: [], notify: ['all'] })).toEqual([['all']]);
});

test('a tool that changed is told to whom its rule told before, and to those of the rule that asks now', () => {
  const policy = {
    rules: [
      asks('two', ['before'], { tool: 'add', annotations: { destructive: true }, demand }),
      asks('rest', ['now'], { demand: { ...demand, approvers: [], votes: 3, notRequester: false } }),
    ],
  };
  const votes = ['ana', 'bob'].map((name) => by(name, voted(voter(user(name, ['finance'])))));
  const id = 'root#1.0';
  const again = told(
    policy,
    ...votes,
    drove([claim, starts(id)], { policy }),
    drove([changed(id, { ...tool('add'), pin: 'another' })], { policy }),
  );
  expect(again).toEqual([['before'], ['before', 'now']]);
});
