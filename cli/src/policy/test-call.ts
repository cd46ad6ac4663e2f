import { readFileSync } from 'node:fs';
import {
  canonicalArguments,
  effectiveHints,
  type Json,
  judgeByPolicy,
  looksAt,
  nobody,
  nothingYet,
  type Policy,
  type PolicyCall,
  type PolicyContext,
  parseJson,
  policyVerdict,
} from '@stopgo/core';
import { ConfigError, loadAgentConfig, parsePolicy } from '@stopgo/runtime';
import { oneLine } from '../shown.ts';
import { demandWords } from './words.ts';

/** `stopgo policy test`: which rule of a file decides a call, and why those before it do not. */
export function testCall(file: string, call: string, print: (line: string) => void): void {
  const policy = policyOf(file);
  const { asked, context } = callOf(call);
  const say = (line: string): void => print(oneLine(line));
  for (const { rule, look } of looksAt(policy, asked, context)) {
    const found = { matches: 'matches', passed: 'does not match', unknown: 'cannot be evaluated' }[look.kind];
    say(`  ${rule.name}: ${found}${look.kind === 'matches' ? '' : `: ${look.why}`}`);
  }
  const ruling = judgeByPolicy(policy, asked, context);
  if (ruling === undefined) {
    const { kind, reason } = policyVerdict({ hints: asked.hints, approvalRequired: false });
    say(`${kind}: no rule matches; by default, ${reason}`);
    return;
  }
  say(`${ruling.verdict}: rule "${ruling.rule}": ${ruling.reason}`);
  if (ruling.demand !== undefined) say(`decided by: ${demandWords(ruling.demand)}`);
}

/** The rules of a file: `rules` at its top, or the `approvals` of an agent. */
function policyOf(file: string): Policy {
  const readFile = (path: string): string => readFileSync(path, 'utf8');
  let source: string;
  try {
    source = readFile(file);
  } catch {
    throw new Error(`${file} cannot be read; is its path right?`);
  }
  if (/^rules\s*:/m.test(source)) return parsePolicy(source, file);
  const { policy } = loadAgentConfig(file, { readFile }).config;
  if (policy === undefined)
    throw new ConfigError(file, [`${file}: it has no rules: neither approvals nor approvals_file`]);
  return policy;
}

const callKeys = ['server', 'tool', 'agent', 'node', 'args', 'annotations', 'caller', 'run'];

function callOf(text: string): { readonly asked: PolicyCall; readonly context: PolicyContext } {
  const parsed = mappingIn(parseJson(text), '--call');
  for (const key of Object.keys(parsed))
    if (!callKeys.includes(key)) throw new Error(`--call: there is no ${key}; there are ${callKeys.join(', ')}`);
  const read = canonicalArguments(JSON.stringify(parsed.args ?? {}));
  if ('problem' in read) throw new Error(`--call: args: ${read.problem}`);
  const asked: PolicyCall = {
    server: textIn(parsed, 'server'),
    tool: textIn(parsed, 'tool'),
    agent: textIn(parsed, 'agent'),
    node: textIn(parsed, 'node'),
    // In the form in which a tool has them: {"destructiveHint": true}.
    hints: effectiveHints({ annotations: parsed.annotations ?? {}, unannotated: 'run' }),
    argumentsJson: read.json,
  };
  const caller = mappingIn(parsed.caller ?? {}, 'caller');
  const run = mappingIn(parsed.run ?? {}, 'run');
  return {
    asked,
    context: {
      caller: { ...nobody, ...caller } as PolicyContext['caller'],
      run: { ...nothingYet, ...run } as PolicyContext['run'],
    },
  };
}

function mappingIn(value: Json | undefined, what: string): { readonly [key: string]: Json } {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as { readonly [key: string]: Json };
  throw new Error(`${what} takes a JSON object, such as {"server": "bank", "tool": "transfer", "args": {"amount": 5}}`);
}

function textIn(from: { readonly [key: string]: Json }, key: string): string {
  const value = from[key] ?? '';
  if (typeof value !== 'string') throw new Error(`--call: ${key} takes a text`);
  return value;
}
