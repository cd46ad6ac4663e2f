import { describe, expect, test } from 'vitest';
import { ConfigError, loadAgentConfig } from '../src/index.ts';

/** Loads an agent's file among others. */
function load(source: string, others: Readonly<Record<string, string>> = {}) {
  const files: Readonly<Record<string, string>> = { 'agents/agent.yaml': source, ...others };
  return loadAgentConfig('agents/agent.yaml', {
    readFile: (path) => {
      const [, text] = Object.entries(files).find(([name]) => path.endsWith(name)) ?? [];
      if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
      return text;
    },
  });
}

function located(source: string, others?: Readonly<Record<string, string>>): readonly string[] {
  try {
    load(source, others);
  } catch (error) {
    if (error instanceof ConfigError) return error.located;
    throw error;
  }
  return [];
}

const rules = 'rules:\n  - name: one\n    verdict: ask\n';

test('without rules there is no policy', () => {
  expect(load('name: a').config.policy).toBeUndefined();
});

test('rules stand in the file itself, or in one beside it', () => {
  const policy = { rules: [{ name: 'one', verdict: 'ask', reason: '' }] };
  expect(load(`approvals:\n  ${rules.replaceAll('\n', '\n  ')}`).config.policy).toEqual(policy);
  expect(load('approvals_file: rules.yaml', { 'agents/rules.yaml': rules }).config.policy).toEqual(policy);
});

describe('a fault is told with its rule, line and column', () => {
  test('of the file itself', () => {
    expect(
      located('name: a\napprovals:\n  rules:\n    - name: one\n      verdict: ask\n      when: arg.x == 1\n'),
    ).toEqual([
      'agents/agent.yaml:6:7: approvals.rules[0].when: rule "one": there is no arg; did you mean args? (there are args, call, caller, run) (character 1 of it)',
    ]);
  });

  test('of a file of its own', () => {
    const [line] = located('approvals_file: rules.yaml', {
      'agents/rules.yaml': `${rules}  - name: one\n    verdict: no\n`,
    });
    expect(line).toMatch(/agents\/rules\.yaml:5:5: rules\[1\]\.verdict: rule "one": expected allow, ask or deny$/);
  });

  test('that is no YAML', () => {
    expect(located('approvals_file: rules.yaml', { 'agents/rules.yaml': 'rules: [' })[0]).toMatch(
      /agents\/rules\.yaml:1:\d+: /,
    );
  });

  test('of a file that is not there', () => {
    expect(located('approvals_file: rules.yaml')[0]).toMatch(
      /^agents\/agent\.yaml:1:1: approvals_file: failed to read it: .*there is no such file/,
    );
  });

  test('of two places for the rules', () => {
    expect(located(`approvals: { rules: [] }\napprovals_file: rules.yaml`)).toEqual([
      'agents/agent.yaml:2:1: approvals_file: cannot stand beside approvals; keep the rules in one of them',
    ]);
  });
});

describe('what nobody can prove is refused where nobody signs in', () => {
  const asking = (more: string) => `approvals: { rules: [{ name: one, verdict: ask, ${more} }] }`;

  test.each([
    ['approvers: [group:finance]', 'rule "one" names group:finance'],
    ['separation_of_duties: true', 'rule "one" keeps out who asked (separation_of_duties)'],
    ['escalate: [{ after: 1h, to: [role:ADMIN] }]', 'rule "one" names role:ADMIN'],
    ['when: "\'x\' in caller.groups"', 'rule "one" asks for caller.groups'],
    ['when: caller.authenticated', 'rule "one" asks for caller.authenticated'],
    ['when: \'caller["role"] == "ADMIN"\'', 'rule "one" asks for caller.role'],
    ['when: \'caller[args.x] == "ADMIN"\'', 'rule "one" asks for caller'],
    ['when: "[caller].exists(c, c.role == \'ADMIN\')"', 'rule "one" asks for caller'],
  ])('%s', (more, what) => {
    expect(located(asking(more))[0]).toContain(`approvals: ${what}, which needs auth`);
    const jwt = '{ jwt: { issuer: i, audience: a, secret_env: S } }';
    expect(located(`${asking(more)}\nauth: ${jwt}`)).toEqual([]);
  });

  test.each([
    'approvers: [user:ada]',
    'when: "args.note == \'caller.role\'"',
    'when: "[args].exists(caller, caller.role == \'x\')"',
  ])('%s is not', (more) => {
    expect(located(asking(more))).toEqual([]);
  });

  test.each(['caller.name == "ada"', 'caller["name"].startsWith("a")'])('%s is not, with a warning', (when) => {
    const warnings = (more: string) =>
      load(`approvals: { rules: [{ name: one, verdict: allow, when: '${when}' }] }${more}`).warnings;
    expect(warnings('')).toEqual([
      expect.stringContaining('approvals: rule "one" rests on caller.name, and without auth'),
    ]);
    expect(warnings('\nauth: {}')).toEqual([]);
  });
});

describe('approvers that nobody can be who signs in', () => {
  const asking = (approvers: string, more = '') =>
    `approvals:\n  rules:\n    - name: one\n      verdict: ask\n      approvers: ${approvers}\n${more}`;
  const jwt = 'auth: { jwt: { issuer: i, audience: a, secret_env: S } }';
  const finance = 'auth: { jwt: { issuer: i, audience: a, secret_env: S, groups: [finance] } }';

  test.each([
    ['[group:finance]', 'auth: {}', 'group:finance, and groups come from tokens alone'],
    ['2 of [group:finance, ana@x.example]', 'auth: {}', 'group:finance, and groups come from tokens alone'],
    ['[group:sales]', finance, 'group:sales, which is not among auth.jwt.groups'],
    ['[user:bob]', jwt, 'user:bob, and who signs in is known by their e-mail address'],
  ])('%s with %s can never be met', (approvers, auth, why) => {
    const [line] = located(asking(approvers, auth));
    expect(line).toMatch(/^agents\/agent\.yaml:5:7: approvals: rule "one" names /);
    expect(line).toContain(why);
    expect(line).toMatch(/: nobody could ever approve what it asks for$/);
  });

  test.each(['[group:finance, ana@x.example]', '[role:ADMIN, group:finance]'])('%s can, by others', (approvers) => {
    expect(load(asking(approvers, 'auth: {}')).warnings).toEqual([
      expect.stringMatching(/^approvals: rule "one" names group:finance, .*name people or roles$/),
    ]);
  });

  test('can be among those who are asked later', () => {
    const later = '      escalate: [{ after: 1h, to: [role:ADMIN] }]\nauth: {}';
    expect(load(asking('[group:finance]', later)).warnings).toHaveLength(1);
  });

  test.each([jwt, finance])('with %s somebody may be', (auth) => {
    expect(load(asking('2 of [group:finance]', auth)).warnings).toEqual([]);
  });
});

test.each(['auth', 'require_auth', 'approvals'])('%s: with nothing below it is refused, not left out', (key) => {
  expect(located(`name: a\n${key}:\n`)).toEqual([
    expect.stringMatching(new RegExp(`^agents/agent\\.yaml:2:1: ${key}: nothing is below it: `)),
  ]);
});
