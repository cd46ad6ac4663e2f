import { describe, expect, test } from 'vitest';
import { definePolicy, policyFromDefinition } from '../src/policy/policy.ts';
import { readPolicy } from '../src/policy/read-policy.ts';

const minimal = { name: 'one', verdict: 'ask' };

function problems(rule: Record<string, unknown>): string[] {
  const read = readPolicy({ rules: [{ ...minimal, ...rule }] });
  return read.kind === 'policy' ? [] : read.problems.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('a rule', () => {
  test('is read with all that it can say', () => {
    const read = readPolicy({
      rules: [
        {
          name: 'payments',
          server: 'bank',
          tool: 'transfer_*',
          annotations: { destructive: true, read_only: false },
          agent: 'billing*',
          node: 'pay',
          when: 'args.amount > 1000',
          verdict: 'ask',
          reason: 'Large transfers need two of finance.',
          approvers: '2 of [group:finance, role:ADMIN, alice@example.com, user:bob]',
          separation_of_duties: true,
          expires: JSON.parse('{ "after": "24h", "then": "leave" }'),
          remind: ['8h', '1h'],
          escalate: [{ after: '4h', to: ['role:ADMIN'] }],
        },
      ],
    });
    expect(read).toEqual({
      kind: 'policy',
      policy: {
        rules: [
          {
            name: 'payments',
            server: 'bank',
            tool: 'transfer_*',
            annotations: { destructive: true, readOnly: false },
            agent: 'billing*',
            node: 'pay',
            when: 'args.amount > 1000',
            verdict: 'ask',
            reason: 'Large transfers need two of finance.',
            demand: {
              approvers: [
                { kind: 'group', name: 'finance' },
                { kind: 'role', name: 'ADMIN' },
                { kind: 'user', name: 'alice@example.com' },
                { kind: 'user', name: 'bob' },
              ],
              votes: 2,
              notRequester: true,
              expires: { afterMs: 86_400_000, verdict: 'leave' },
              remindAfterMs: [3_600_000, 28_800_000],
              escalations: [{ afterMs: 14_400_000, to: [{ kind: 'role', name: 'ADMIN' }] }],
            },
          },
        ],
      },
    });
  });

  test('without anything about approvals demands nothing', () => {
    expect(readPolicy({ rules: [minimal] })).toEqual({
      kind: 'policy',
      policy: { rules: [{ name: 'one', verdict: 'ask', reason: '' }] },
    });
  });

  test.each([
    [{ approvers: ['group:a', 'group:b'] }, 1, 2],
    [{ approvers: 'alice@example.com' }, 1, 1],
    [{ approvers: ['group:a', 'group:a'] }, 1, 1],
    [{ expires: { after: '1h' } }, 1, 0],
  ])('demands %j', (keys, votes, approvers) => {
    const read = readPolicy({ rules: [{ ...minimal, ...keys }] });
    const demand = read.kind === 'policy' ? read.policy.rules[0]?.demand : undefined;
    expect(demand?.votes).toBe(votes);
    expect(demand?.approvers).toHaveLength(approvers);
  });

  test.each([
    [{ name: undefined }, 'rules.0: name is required'],
    [{ name: 'a\u200bb' }, 'rules.0.name: rule "a\\\\u{200b}b": expected a name: one line of text, at most 200 bytes'],
    [{ verdict: undefined }, 'rules.0: rule "one": verdict is required: allow, ask or deny'],
    [{ verdict: 'maybe' }, 'rules.0.verdict: rule "one": expected allow, ask or deny'],
    [{ verdict: 'alow' }, 'rules.0.verdict: rule "one": expected allow, ask or deny; did you mean allow?'],
    [
      { approvers: ['role:admin'] },
      'rules.0.approvers.0: rule "one": there is no role "admin"; there are USER, ADMIN, SUPER_ADMIN; did you mean ADMIN?',
    ],
    [
      { expires: JSON.parse('{ "after": "1h", "then": "rejct" }') },
      'rules.0.expires.then: rule "one": expected reject (as without it) or leave; did you mean reject?',
    ],
    [
      { when: 'args.amount * 2 > 10' },
      'rules.0.when: rule "one": it can never be evaluated: numbers of args are doubles, and CEL takes * of two of one kind; write 2.0 in place of 2 (character 13 of it)',
    ],
    [
      { when: 'args.list.exists(one, has(args.n) && args.order.n % 2 == 0)' },
      'rules.0.when: rule "one": it can never be evaluated: numbers of args are doubles, and CEL takes % of whole numbers alone; write int(args.order.n) (character 51 of it)',
    ],
    [
      { when: 'zzzzz == 1' },
      'rules.0.when: rule "one": there is no zzzzz; there are args, call, caller, run (character 1 of it)',
    ],
    [
      { when: 'run.steps == 1' },
      'rules.0.when: rule "one": run has no steps; it has turn, calls, calls_of_server, calls_of_tool, tools, approvals (character 4 of it)',
    ],
    [{ tools: 'x' }, 'rules.0.tools: rule "one": there is no key "tools"; did you mean tool?'],
    [{ tool: 5 }, 'rules.0.tool: rule "one": expected a name, or a pattern of names: * for any characters, ? for one'],
    [
      { verdict: 'deny', remind: ['1h'] },
      'rules.0.remind: rule "one": is for rules that ask; the verdict of this one is deny',
    ],
    [
      { annotations: { destructiveHint: true } },
      'rules.0.annotations.destructiveHint: rule "one": there is no key "destructiveHint"; did you mean destructive?',
    ],
    [{ annotations: { destructive: 'yes' } }, 'rules.0.annotations.destructive: rule "one": expected true or false'],
    [
      { approvers: ['finance'] },
      'rules.0.approvers.0: rule "one": expected an e-mail, or a name with what it is of: group:finance, role:ADMIN, user:alice; did you mean group:finance?',
    ],
    [
      { approvers: ['role:BOSS'] },
      'rules.0.approvers.0: rule "one": there is no role "BOSS"; there are USER, ADMIN, SUPER_ADMIN',
    ],
    [
      { approvers: '2 of [user:a]' },
      'rules.0.approvers: rule "one": asks for 2 people and names 1: nobody could ever approve it',
    ],
    [
      { approvers: '2 of [ana@x.example, Ana@x.example]' },
      'rules.0.approvers: rule "one": asks for 2 people and names 1, one of them twice: nobody could ever approve it',
    ],
    [{ approvers: '0 of [group:a]' }, 'rules.0.approvers: rule "one": expected a number of approvers from 1 to 16'],
    [{ approvers: [] }, 'rules.0.approvers: rule "one": must name somebody'],
    [
      { expires: { after: 'soon' } },
      'rules.0.expires.after: rule "one": expected a time from 1s to 8784h, such as 24h',
    ],
    [
      { expires: { after: '1h' }, remind: ['2h'] },
      'rules.0.remind: rule "one": what is to come after 2h never happens: the approval is over after 1h (then: leave keeps it open)',
    ],
    [
      { expires: { after: '1h' }, escalate: [{ after: '1h', to: ['role:ADMIN'] }] },
      'rules.0.escalate: rule "one": what is to come after 1h never happens: the approval is over after 1h (then: leave keeps it open)',
    ],
    [
      { notify: ['a b'] },
      'rules.0.notify.0: rule "one": expected the name of a webhook: letters, digits, _ or -, at most 64',
    ],
    [
      { verdict: 'allow', notify: ['ops'] },
      'rules.0.notify: rule "one": is for rules that ask; the verdict of this one is allow',
    ],
    [{ when: '' }, 'rules.0.when: rule "one": expected text'],
  ])('with %j is refused: %s', (rule, problem) => {
    expect(problems(rule)).toEqual([problem]);
  });

  test('names of webhooks are read where they stand, each once, and what is not there is told with its place', () => {
    const rule = { ...minimal, notify: ['ops', 'ops'], escalate: [{ after: '1h', to: ['group:a'], notify: ['boss'] }] };
    const value = { notify: ['ops'], rules: [rule] };
    const read = readPolicy(value);
    expect(read).toMatchObject({
      kind: 'policy',
      policy: { notify: ['ops'], rules: [{ notify: ['ops'], demand: { escalations: [{ notify: ['boss'] }] } }] },
    });
    expect(read.kind === 'policy' && read.policy.rules[0]?.notify).toEqual(['ops']);
    expect(readPolicy(value, ['boss', 'ops'])).toEqual(read);
    expect(readPolicy(value, ['bosses'])).toMatchObject({
      problems: [
        { path: ['rules', 0, 'escalate', 0, 'notify', 0], message: expect.stringContaining('did you mean bosses?') },
        { path: ['rules', 0, 'notify', 0], message: 'rule "one": there is no webhook "ops"; there are bosses' },
        { path: ['rules', 0, 'notify', 1] },
        { path: ['notify', 0], message: 'there is no webhook "ops"; there are bosses' },
      ],
    });
  });

  test('of a name that stands before is refused', () => {
    expect(readPolicy({ rules: [minimal, minimal] })).toMatchObject({
      problems: [{ path: ['rules', 1, 'name'], message: '"one" is the name of a rule before it; give each another' }],
    });
  });
});

test('what is no policy is refused', () => {
  expect(readPolicy('no')).toMatchObject({
    problems: [{ path: [], message: 'expected a mapping with the key rules' }],
  });
  expect(readPolicy({ rules: {} })).toMatchObject({ problems: [{ path: ['rules'], message: 'expected a list' }] });
});

test('a policy is the same once it was recorded, and its digest tells it from others', () => {
  const read = readPolicy({ rules: [minimal] });
  const policy = read.kind === 'policy' ? read.policy : { rules: [] };
  expect(policyFromDefinition(definePolicy(policy).definitionJson)).toEqual(policy);
  expect(definePolicy(policy).digest).not.toBe(definePolicy({ rules: [] }).digest);
});
