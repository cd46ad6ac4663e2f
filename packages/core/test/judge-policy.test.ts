import { describe, expect, test } from 'vitest';
import { judgeByPolicy, nobody, nothingYet, type PolicyCall, type PolicyContext } from '../src/policy/judge-policy.ts';
import type { DemandSpec, Rule } from '../src/policy/policy.ts';
import { readPolicy } from '../src/policy/read-policy.ts';

const hints = { readOnly: false, destructive: true, idempotent: false, openWorld: true };
const pay: PolicyCall = {
  server: 'bank',
  tool: 'transfer_money',
  agent: 'billing',
  agents: ['desk', 'support/tier1', 'billing'],
  commit: 'c0ffee',
  node: 'pay',
  hints,
  argumentsJson: '{"amount":1500,"to":{"name":"Ada"},"items":[1,2,3]}',
};
const context: PolicyContext = {
  caller: { ...nobody, id: 'u1', email: 'ada@example.com', role: 'USER', groups: ['sales'], authenticated: true },
  run: { turn: 2, calls: { 'bank/transfer_money': 2, 'bank/list': 1, 'files/read': 4 }, approvals: 1 },
};
const rule = (name: string, verdict: Rule['verdict'], more: Partial<Rule> = {}): Rule => ({
  name,
  verdict,
  reason: '',
  ...more,
});
const judge = (...rules: Rule[]) => judgeByPolicy({ rules }, pay, context);
const demand = (votes: number): DemandSpec => ({
  approvers: [],
  votes,
  notRequester: false,
  remindAfterMs: [],
  escalations: [],
});

describe('the first rule that matches decides', () => {
  test.each<[string, Partial<Rule>]>([
    ['server', { server: 'b?nk' }],
    ['tool', { tool: 'transfer_*' }],
    ['agent', { agent: 'bill*' }],
    ['node', { node: 'pay' }],
    ['annotations', { annotations: { destructive: true, readOnly: false } }],
    ['everything', {}],
  ])('by %s', (_, more) => {
    expect(judge(rule('a', 'deny', more), rule('b', 'allow'))).toMatchObject({ verdict: 'deny', rule: 'a' });
  });

  test.each<[string, Partial<Rule>]>([
    ['server', { server: 'b' }],
    ['tool', { tool: 'transfer' }],
    ['agent', { agent: 'Billing' }],
    ['node', { node: 'pa' }],
    ['annotations', { annotations: { destructive: true, readOnly: true } }],
  ])('and one that does not match by %s is passed over', (_, more) => {
    expect(judge(rule('a', 'deny', more))).toBeUndefined();
    expect(judge(rule('a', 'deny', more), rule('b', 'allow'))).toMatchObject({ verdict: 'allow', rule: 'b' });
  });
});

test.each([
  ['args.amount > 1000', true],
  ['args.amount > 1000 && caller.groups.exists(g, g == "sales")', true],
  ['args.amount == 1500', true],
  ['args.to.name == "Ada" && has(args.to.name) && !has(args.to.iban)', true],
  ['size(args.items) == 3 && args.items.all(i, i < 4.0)', true],
  ['args.items.exists(i, i > 3.0)', false],
  ['call.server == "bank" && call.tool.startsWith("transfer") && call.annotations.destructive', true],
  ['call.agent == "billing" && call.node == "pay"', true],
  ['"support/tier1" in call.agents && call.agents[0] == "desk" && size(call.agents) == 3', true],
  ['call.agents.exists(a, a.startsWith("support/")) && call.commit.startsWith("c0ff")', true],
  ['caller.role == "USER" && caller.authenticated && caller.email.endsWith("@example.com")', true],
  ['run.calls == 7 && run.calls_of_server == 3 && run.calls_of_tool == 2 && run.turn == 2', true],
  ['run.approvals >= 1 && run.tools["files/read"] == 4', true],
  ['args.to.name.matches("^A.a$")', true],
  ['has(args.constructor) || has(args.toString) || has(args.to.hasOwnProperty)', false],
])('a predicate sees the call, the caller and the run: %s', (when, isMet) => {
  expect(readPolicy({ rules: [{ name: 'a', verdict: 'ask', when }] }).kind).toBe('policy');
  expect(judge(rule('a', 'deny', { when }))?.verdict).toBe(isMet ? 'deny' : undefined);
});

describe('a predicate that cannot be evaluated', () => {
  const failing = 'args.missing > 1';

  test.each(['allow', 'ask', 'deny'] as const)('of a rule that would %s asks, and says so', (verdict) => {
    const ruling = judge(rule('a', verdict, { when: failing }));
    expect(ruling).toMatchObject({ verdict: 'ask', rule: 'a' });
    expect(ruling?.reason).toMatch(/^rule "a" cannot be evaluated: /);
  });

  test('says how numbers of two kinds are reckoned with', () => {
    const { reason = '' } = judge(rule('a', 'allow', { when: 'args.amount + run.turn > 5.0' })) ?? {};
    expect(reason).toMatch(/'\(double, int\)'; CEL reckons with numbers of one kind, .*: write 2\.0 for 2, double/);
    const { reason: other = '' } = judge(rule('a', 'allow', { when: 'args.to.name > 5' })) ?? {};
    expect(other).toMatch(/'\(string, int\)'$/);
  });

  // What is on the record is evaluated as it was, also where a file of today is refused.
  test('in a part that is not needed decides nothing', () => {
    expect(judge(rule('a', 'allow', { when: 'true || args.amount * 2 > 5' }))?.verdict).toBe('allow');
  });

  test('asks whatever is allowed after it', () => {
    expect(judge(rule('a', 'deny', { when: failing }), rule('b', 'allow'))).toMatchObject({
      verdict: 'ask',
      rule: 'a',
    });
  });

  test('does not get around a stricter rule after it', () => {
    expect(judge(rule('a', 'allow', { when: failing }), rule('b', 'deny'))).toMatchObject({
      verdict: 'deny',
      rule: 'b',
    });
    const two = judge(
      rule('a', 'allow', { when: failing }),
      rule('b', 'ask', { demand: demand(2) }),
      rule('c', 'deny'),
    );
    expect(two).toMatchObject({ verdict: 'ask', rule: 'b', demand: { votes: 2 } });
  });

  const of = (name: string, votes: number, notRequester = false): DemandSpec => ({
    ...demand(votes),
    approvers: [{ kind: 'group', name }],
    notRequester,
  });

  test('takes away nobody whom the rule that surely matches names, and adds what it takes itself', () => {
    const ruling = judge(
      rule('a', 'ask', { when: failing, demand: { ...demand(3), notRequester: true } }),
      rule('b', 'ask', { demand: of('finance', 1) }),
    );
    expect(ruling).toMatchObject({ verdict: 'ask', rule: 'b', demand: of('finance', 3, true), isUnknown: true });
    expect(ruling?.reason).toMatch(/^rule "a" cannot be evaluated: .*; rule "b" wants a person to decide$/);
  });

  test('is kept to by the rule that surely matches', () => {
    expect(
      judge(rule('a', 'ask', { when: failing, demand: of('finance', 2) }), rule('b', 'ask', { demand: demand(1) })),
    ).toMatchObject({ verdict: 'ask', demand: of('finance', 2) });
  });

  test.each([['of the rule that matches'], ['of another that cannot be evaluated']])(
    'refuses where nobody is named by both it and the demand %s',
    (which) => {
      const second = { demand: of('finance', 1), ...(which === 'of the rule that matches' ? {} : { when: failing }) };
      const rules = [rule('a', 'ask', { when: failing, demand: of('support', 1) }), rule('b', 'ask', second)];
      expect(judge(...rules, rule('c', 'ask'))).toMatchObject({ verdict: 'deny', rule: 'a' });
      const ruling = judge(...rules);
      expect(ruling).toMatchObject({ verdict: 'deny', rule: 'a' });
      expect(ruling?.reason).toContain('; nobody may decide both by it and by rule "b"');
    },
  );

  test.each([
    ['comes to no true or false', 'args.amount'],
    ['names what is not there', 'args.to.iban == "x"'],
    ['compares what cannot be compared', 'args.to > 5'],
  ])('because it %s', (_, when) => {
    expect(judge(rule('a', 'allow', { when }))).toMatchObject({ verdict: 'ask' });
  });
});

describe('work is bounded by counted sizes', () => {
  const large = (values: number): PolicyCall => ({
    ...pay,
    argumentsJson: JSON.stringify({ list: Array.from({ length: values }, (_, index) => index) }),
  });
  const when = 'args.list.exists(x, args.list.exists(y, x + y == -1.0))';

  test('what is small is evaluated', () => {
    expect(judgeByPolicy({ rules: [rule('a', 'deny', { when })] }, large(50), context)).toBeUndefined();
  });

  test('what is too large is not, and asks', () => {
    const ruling = judgeByPolicy({ rules: [rule('a', 'allow', { when })] }, large(1_900), context);
    expect(ruling).toMatchObject({ verdict: 'ask' });
    expect(ruling?.reason).toContain('too large');
    const single = rule('a', 'allow', { when: 'args.list.all(x, x >= 0.0)' });
    expect(judgeByPolicy({ rules: [single] }, large(1_900), context)?.verdict).toBe('allow');
    expect(judgeByPolicy({ rules: [single] }, large(3_000), context)?.reason).toContain('at most 2000');
  });

  test('agents count as what loops go over', () => {
    const chain = (count: number) => ({ ...pay, agents: Array.from({ length: count }, () => 'a') });
    const all = rule('a', 'allow', { when: 'call.agents.all(x, x.startsWith("a"))' });
    expect(judgeByPolicy({ rules: [all] }, chain(1_900), context)?.verdict).toBe('allow');
    expect(judgeByPolicy({ rules: [all] }, chain(2_001), context)?.reason).toContain('at most 2000');
  });

  test('a pattern is tried as long as its size and that of the text allow, all together', () => {
    const over = (characters: number, when: string) => {
      const call = { ...pay, argumentsJson: JSON.stringify({ text: 'a'.repeat(characters) }) };
      return judgeByPolicy({ rules: [rule('a', 'allow', { when })] }, call, context);
    };
    // 995 instructions: 2,000 characters are just under two million steps.
    const large = 'args.text.matches("b.{990}[ab]$")';
    expect(over(2_000, large)).toBeUndefined();
    expect(over(2_020, large)).toMatchObject({ verdict: 'ask' });
    expect(over(2_020, large)?.reason).toContain('too long for the pattern b.{990}[ab]$');
    expect(over(1_100, `!${large}`)?.verdict).toBe('allow');
    expect(over(1_100, `!${large} && !${large}`)?.verdict).toBe('ask');
    expect(over(60_000, 'args.text.matches("^[a-z]+$")')?.verdict).toBe('allow');
    // Each evaluation has all of it.
    const twice = { rules: [rule('a', 'deny', { when: large }), rule('b', 'allow', { when: `!${large}` })] };
    const call = { ...pay, argumentsJson: JSON.stringify({ text: 'a'.repeat(1_900) }) };
    for (const _ of [1, 2]) expect(judgeByPolicy(twice, call, context)?.verdict).toBe('allow');
  });

  test('a pattern on the record that cannot be read asks', () => {
    expect(judge(rule('a', 'allow', { when: 'args.to.matches("(?<=a)b") || call.tool == "pay"' }))).toBeDefined();
    expect(judge(rule('a', 'allow', { when: 'args.to.matches("(")' }))).toMatchObject({ verdict: 'ask' });
  });
});

test.each([
  ['args.amount >', 'found >'],
  ['arg.amount > 1', 'there is no arg; did you mean args?'],
  ['call.agents.exists(a, a == call.comit)', 'call has no comit; did you mean commit?'],
  ['caller.group == "x"', 'caller has no group; did you mean groups?'],
  ['lowercase(args.x) == "x"', 'there is no function lowercase'],
  ['args.a.matches(args.b)', 'the pattern of matches must be a text that is written here'],
  ['args.a.matches(5)', 'the pattern of matches cannot be read: it is no text'],
  ['args.a.matches("(?<=a)b")', 'the pattern of matches cannot be read: error parsing regexp'],
  ['args.a.exists(x, x.matches("a{2000}"))', 'the pattern of matches cannot be read: error parsing regexp'],
  ['args.a.all(x, x.all(y, y.all(z, z)))', 'a loop of a loop of a loop'],
  ['args.a.map(x, x).map(x, x).map(x, x).size() == 1', 'a loop of a loop of a loop'],
  ['google.protobuf.Value{}', 'there is no'],
  [Array.from({ length: 300 }, () => '1').join('+'), 'parts; at most 500'],
])('%s is refused when it is read', (when, problem) => {
  const read = readPolicy({ rules: [{ name: 'a', verdict: 'ask', when }] });
  expect(read).toMatchObject({ problems: [{ path: ['rules', 0, 'when'] }] });
  expect(read.kind === 'problems' && read.problems[0]?.message).toContain(problem);
});

test('the place of a fault in a predicate is told', () => {
  const read = readPolicy({ rules: [{ name: 'a', verdict: 'ask', when: 'args.x == 1 &&\n  arg.y' }] });
  expect(read).toMatchObject({
    problems: [
      {
        message:
          'rule "a": there is no arg; did you mean args? (there are args, call, caller, run) (line 2, character 3 of it)',
      },
    ],
  });
});

test('a caller and a run of which nothing is known', () => {
  const given = { caller: nobody, run: nothingYet };
  const when = '!caller.authenticated && caller.groups.size() == 0 && run.calls == 0 && run.turn == 1';
  expect(judgeByPolicy({ rules: [rule('a', 'allow', { when })] }, pay, given)?.verdict).toBe('allow');
});
