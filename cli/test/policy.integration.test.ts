import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conversationStream, definePolicy, fact, type Policy, policyStream, sha256Hex } from '@stopgo/core';
import { facts, store } from '@stopgo/proto';
import { createInProcessClient } from '@stopgo/rpc';
import { createLogger } from '@stopgo/runtime';
import { startStore } from '@stopgo/store';
import { afterAll, describe, expect, test } from 'vitest';
import { explainApproval } from '../src/policy/explain.ts';
import { testCall } from '../src/policy/test-call.ts';
import { append, conversationId } from './report-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'stopgo-policy-'));
afterAll(() => rmSync(folder, { recursive: true }));

const rules = `rules:
  - { name: others, server: files, verdict: deny }
  - { name: small, tool: "transfer_*", when: args.amount < 100.0, verdict: allow }
  - { name: large, tool: "transfer_*", verdict: ask, reason: Two look at it., approvers: "2 of [user:ada, user:bob]", expires: { after: 1h } }
`;

function tested(call: unknown, source = rules, name = 'rules.yaml'): string[] {
  const file = join(folder, name);
  writeFileSync(file, source);
  const lines: string[] = [];
  testCall(file, typeof call === 'string' ? call : JSON.stringify(call), (line) => lines.push(line));
  return lines;
}

describe('policy test', () => {
  const transfer = (amount?: number) => ({ server: 'bank', tool: 'transfer_money', args: { amount } });

  test('says which rule decides, and why those before it do not', () => {
    expect(tested(transfer(500))).toEqual([
      '  others: does not match: it is about another server',
      '  small: does not match: its predicate is false',
      '  large: matches',
      'ask: rule "large": Two look at it.',
      'decided by: 2 of ada, bob; after 1h: rejected',
    ]);
    expect(tested(transfer(5)).at(-1)).toBe('allow: rule "small": rule "small" allows it');
  });

  test('says what cannot be evaluated', () => {
    const lines = tested(transfer());
    expect(lines[1]).toMatch(/^ {2}small: cannot be evaluated: /);
    expect(lines.at(-2)).toMatch(/^ask: rule "large": rule "small" cannot be evaluated: .*; Two look at it\.$/);
  });

  test('tells what the defaults say where no rule matches', () => {
    expect(tested({ tool: 'x', annotations: { destructiveHint: true } }).at(-1)).toBe(
      'ask: no rule matches; by default, the tool is destructive',
    );
  });

  test('does not know what depends on annotations that the call does not give', () => {
    const lines = tested({ tool: 'x', server: 's' });
    expect(lines.map((line) => line.trim())).toEqual([
      'others: does not match: it is about another server',
      'small: does not match: it is about another tool',
      'large: does not match: it is about another tool',
      'unknown: it depends on the annotations of the tool, and the call gives none:',
      'a tool that only reads: allow: no rule matches; by default, the tool only reads',
      'a tool that destroys: ask: no rule matches; by default, the tool is destructive',
      'a tool that says neither: allow: no rule matches; by default, the tool is not destructive',
      expect.stringContaining('add them to --call'),
    ]);
    const ofOthers = `rules: [{ name: open, annotations: { open_world: true, read_only: true }, verdict: deny }]`;
    expect(tested({ tool: 'x' }, ofOthers)[1]).toBe(
      '  a tool that only reads: it depends on its other annotations, too',
    );
    expect(tested({ tool: 'x', annotations: {} }, ofOthers).at(-1)).toContain('allow: no rule matches');
  });

  test('knows what the tool servers of an agent demand besides', () => {
    const servers = `mcp_servers:
  - { name: bank, command: bank, approval: require }
  - { name: shop, command: shop, unannotated: ask, approval_tools: [buy] }
`;
    const agent = `name: a\n${servers}approvals: { rules: [{ name: all, tool: "t*", verdict: allow }] }\n`;
    const last = (call: object) => tested(call, agent, 'servers.yaml').at(-1);
    expect(last({ server: 'bank', tool: 't' })).toMatch(
      /^ask: .*; approval: require holds whatever rule "all" allows$/,
    );
    expect(last({ server: 'shop', tool: 't' })).toMatch(/^allow: rule "all"/);
    expect(last({ server: 'shop', tool: 'x', annotations: {} })).toMatch(/^ask: no rule matches/);
    expect(last({ server: 'shop', tool: 'buy', annotations: { readOnlyHint: true } })).toMatch(/^ask: no rule matches/);
  });

  test('takes the file of an agent as well', () => {
    const agent = `name: a\napprovals:\n${rules.replaceAll(/^/gm, '  ')}`.trimEnd();
    expect(tested(transfer(5), agent, 'agent.yaml').at(-1)).toContain('rule "small"');
    expect(() => tested(transfer(5), 'name: a\n', 'none.yaml')).toThrow('it has no rules');
  });

  test('tries rules that ask who calls', () => {
    const chain = `rules:
  - { name: desk, when: 'call.agents.exists(a, a == "desk") && call.agent == "bank"', verdict: deny }
  - { name: commit, when: call.commit == "c0ffee", verdict: deny }
  - { name: alone, when: 'call.agents == ["bank"]', verdict: allow }
`;
    const last = (call: object) => tested(call, chain).at(-1);
    expect(last({ agents: ['desk', 'bank'] })).toMatch(/^deny: rule "desk"/);
    expect(last({ agents: ['desk', 'bank'], agent: 'bank' })).toMatch(/^deny: rule "desk"/);
    expect(last({ agent: 'bank', commit: 'c0ffee' })).toMatch(/^deny: rule "commit"/);
    expect(last({ agent: 'bank' })).toMatch(/^allow: rule "alone"/);
  });

  test.each([
    ['{', '--call takes a JSON object'],
    ['{"servr":"x"}', '--call: there is no servr; did you mean server? (there are server, tool,'],
    ['{"tool":5}', '--call: tool takes a text'],
    ['{"args":{"a":[1e999]}}', '--call: args: a number is too large'],
    ['{"agents":"a"}', '--call: agents takes a list of texts'],
    ['{"agents":["a","b"],"agent":"a"}', '--call: agent is the last of agents: "b", not "a"'],
    ['{"annotations":[]}', '--call: annotations takes a JSON object, such as {"readOnlyHint": true}'],
    ['{"annotations":{"read_only":true}}', 'there is no read_only; did you mean readOnlyHint?'],
    ['{"caller":{"role":["ADMIN"]}}', '--call: caller: role takes a text'],
    ['{"caller":{"grops":["x"]}}', '--call: caller: there is no grops; did you mean groups?'],
    ['{"caller":{"groups":"finance"}}', '--call: caller: groups takes a list of texts'],
    ['{"caller":{"authenticated":"yes"}}', '--call: caller: authenticated takes true or false'],
    ['{"run":{"turn":"2"}}', '--call: run: turn takes a whole number, 0 or more'],
    ['{"run":{"calls":5}}', '--call: run: calls takes a JSON object, such as {"bank/transfer": 1}'],
    ['{"run":{"calls":{"bank/transfer":1.5}}}', '--call: run: calls: bank/transfer takes a whole number, 0 or more'],
    ['{"run":{"approvals":-1}}', '--call: run: approvals takes a whole number, 0 or more'],
  ])('a call of %s is refused', (call, problem) => {
    expect(() => tested(call)).toThrow(problem);
  });
});

describe('policy explain', () => {
  const policy: Policy = {
    rules: [{ name: 'large', tool: 'pay', verdict: 'ask', reason: 'Look.', when: 'args.a > 1' }],
  };
  const { digest, definitionJson } = definePolicy(policy);

  async function explained(recorded: Parameters<typeof append>[3], approvalId: string): Promise<string[]> {
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const log = createLogger({ level: 'error', format: 'text', destination: { write: () => true } });
    const { service, stop } = await startStore({ dataDir, log });
    const lines: string[] = [];
    try {
      const client = createInProcessClient(store.StoreService, service);
      await append(client, policyStream(digest), 0, [fact('policyDefined', { digest, definitionJson })]);
      await append(client, conversationStream(conversationId), 0, recorded);
      await explainApproval({ client, close: async () => undefined }, approvalId, (line) => lines.push(line));
    } finally {
      await stop();
    }
    return lines;
  }

  const runId = 'run-1';
  const callId = 'root#1.0';
  const begun = (policyDigest: string) => [
    fact('conversationCreated', { conversationId, agentName: 'demo' }),
    fact('userMessageReceived', { runId, text: 'hi' }),
    fact('runStarted', { runId, agentDigest: sha256Hex('a'), toolsetDigest: sha256Hex('t'), policyDigest }),
    fact('stepStarted', { runId, stepId: 'root', nodeType: 'llm', node: 'demo' }),
    fact('modelResponded', {
      ...{ runId, stepId: 'root', turn: 1 },
      calls: [{ callId, tool: 'pay', server: 'bank', argumentsJson: '{"a":2}', disposition: facts.Disposition.GATED }],
    }),
  ];
  const asked = (more: { readonly rule?: string; readonly policyDigest?: string; readonly reason: string }) =>
    fact('approvalRequested', {
      ...{ approvalId: conversationId, runId, stepId: 'root', callId, tool: 'pay', server: 'bank' },
      ...more,
    });

  test('names the rule and what it says, and who decided', async () => {
    const decided = fact('approvalResolved', { approvalId: conversationId, runId, decision: facts.Decision.REJECTED });
    const recorded = [...begun(digest), asked({ rule: 'large', policyDigest: digest, reason: 'Look.' }), decided];
    const lines = await explained(recorded, conversationId);
    expect(lines.slice(0, -1)).toEqual([
      `approval ${conversationId} of pay of bank`,
      'arguments: {"a":2}',
      'asked because: Look.',
      `by rule "large", number 1 of 1 of policy ${digest}:`,
      '  tool: pay',
      '  when: args.a > 1',
      '  verdict: ask',
      '  reason: Look.',
    ]);
    expect(lines.at(-1)).toMatch(/^rejected by /);
  });

  test('says of what nobody decided in time that it expired, and names no instance', async () => {
    const expired = fact('approvalResolved', {
      ...{ approvalId: conversationId, runId, decision: facts.Decision.EXPIRED, reason: 'nobody decided in time' },
    });
    const recorded = [...begun(digest), asked({ rule: 'large', policyDigest: digest, reason: 'Look.' }), expired];
    expect((await explained(recorded, conversationId)).at(-1)).toMatch(
      /^it expired, nobody decided in time, \d{4}-\S+Z$/,
    );
  });

  test('shows a changed call as it is, what it was, and each vote', async () => {
    const [first, second] = [conversationId, conversationId.replace(/.$/, (end) => (end === '0' ? '1' : '0'))];
    const voter = { key: 'user:b', name: 'bob@x.example', claimed: false, role: 'USER', groups: [], entitledBy: '' };
    const call = {
      callId,
      tool: 'pay',
      server: 'bank',
      argumentsJson: '{"a":3}',
      disposition: facts.Disposition.GATED,
    };
    const changed = [
      fact('approvalResolved', { approvalId: first, runId, decision: facts.Decision.WITHDRAWN }),
      fact('callEdited', { runId, stepId: 'root', callId, call, approvalId: first, voter }),
      fact('approvalRequested', {
        ...{ approvalId: second, runId, stepId: 'root', callId, tool: 'pay', server: 'bank', reason: 'x' },
        edit: { replaces: first, voter },
      }),
      fact('approvalVoted', { approvalId: second, runId, callId, decision: facts.Decision.APPROVED, voter }),
    ];
    const recorded = [...begun(''), asked({ reason: 'x' }), ...changed];
    const lines = await explained(recorded, second);
    expect(lines.slice(1, 3)).toEqual(['arguments: {"a":3}', 'changed by bob@x.example, from {"a":2}']);
    expect(lines.at(-1)).toMatch(/^approved by bob@x\.example, \d{4}-/);
    expect((await explained(recorded, first))[1]).toBe('arguments: {"a":2}');
  });

  test('says that the defaults asked', async () => {
    const lines = await explained([...begun(''), asked({ reason: 'the tool is destructive' })], conversationId);
    expect(lines).toContain('by the defaults: the run has no policy');
    expect(lines.at(-1)).toBe('nobody has decided yet');
  });

  test('says that no rule matched', async () => {
    const lines = await explained([...begun(digest), asked({ policyDigest: digest, reason: 'x' })], conversationId);
    expect(lines).toContain(`by the defaults: no rule of policy ${digest} matches`);
  });
});
