import { readFileSync } from 'node:fs';
import {
  canonicalArguments,
  effectiveHints,
  type Hints,
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
import { ConfigError, loadAgentConfig, type McpServerConfig, parsePolicy, type Unannotated } from '@stopgo/runtime';
import { oneLine } from '../shown.ts';
import { demandWords } from './words.ts';

/** What a file says of calls. */
type Judge = {
  readonly policy: Policy;
  /** The agent's tool servers; none in a file of rules. */
  readonly servers: readonly McpServerConfig[];
};

/** What becomes of a call: a word, and why; what the rules before make of it; who decides. */
type Outcome = { readonly said: string; readonly looks: readonly string[]; readonly decided: readonly string[] };

/**
 * `stopgo policy test`: which rule of a file decides a call, and why those before it do not. What depends on annotations that the call does not
 * give is not said to be known: it is told for each kind of tool.
 */
export function testCall(file: string, call: string, print: (line: string) => void): void {
  const judge = judgeOf(file);
  const { asked, context, annotations } = callOf(call);
  const say = (line: string): void => print(oneLine(line));
  const unannotated = judge.servers.find(({ name }) => name === asked.server)?.unannotated ?? 'run';
  const outcomeOf = (hints: Hints): Outcome => outcome(judge, { ...asked, hints }, context);
  const sayAll = ({ looks, said, decided }: Outcome): void => {
    for (const line of [...looks, said, ...decided]) say(line);
  };
  if (annotations !== undefined) {
    sayAll(outcomeOf(effectiveHints({ annotations, unannotated })));
    return;
  }
  const kinds = kindsOfTools(unannotated).map(({ kind, hints }) => {
    const [first, ...others] = hints.map(outcomeOf);
    const isOne = others.every(({ said }) => said === first?.said);
    return { kind, outcome: isOne ? first : undefined };
  });
  const [one] = kinds;
  const isSame = (key: 'said' | 'looks'): boolean =>
    kinds.every(({ outcome }) => outcome !== undefined && String(outcome[key]) === String(one?.outcome?.[key]));
  if (one?.outcome !== undefined && isSame('said')) {
    sayAll(one.outcome);
    return;
  }
  if (isSame('looks')) for (const line of one?.outcome?.looks ?? []) say(line);
  say('unknown: it depends on the annotations of the tool, and the call gives none:');
  for (const { kind, outcome } of kinds)
    say(`  ${kind}: ${outcome?.said ?? 'it depends on its other annotations, too'}`);
  say('add them to --call as the tool has them (GET /tools shows them): "annotations": {"readOnlyHint": true}');
}

/** The tools that there may be, by what they say of themselves. */
function kindsOfTools(unannotated: Unannotated): { readonly kind: string; readonly hints: readonly Hints[] }[] {
  const saying = (said: { readonly [hint: string]: boolean }): Hints[] =>
    [true, false].flatMap((idempotentHint) =>
      [true, false].map((openWorldHint) =>
        effectiveHints({ annotations: { ...said, idempotentHint, openWorldHint }, unannotated }),
      ),
    );
  return [
    { kind: 'a tool that only reads', hints: saying({ readOnlyHint: true }) },
    { kind: 'a tool that destroys', hints: saying({ destructiveHint: true }) },
    { kind: 'a tool that says neither', hints: saying({}) },
  ];
}

function outcome({ policy, servers }: Judge, asked: PolicyCall, context: PolicyContext): Outcome {
  const looks = [...looksAt(policy, asked, context)].map(({ rule, look }) => {
    const found = { matches: 'matches', passed: 'does not match', unknown: 'cannot be evaluated' }[look.kind];
    return `  ${rule.name}: ${found}${look.kind === 'matches' ? '' : `: ${look.why}`}`;
  });
  const server = servers.find(({ name }) => name === asked.server);
  const approvalRequired = server?.approvalRequired === true || server?.approvalTools?.includes(asked.tool) === true;
  const byDefault = policyVerdict({ hints: asked.hints, approvalRequired });
  const ruling = judgeByPolicy(policy, asked, context);
  if (ruling === undefined) {
    const said = `${byDefault.kind}: no rule matches; by default, ${byDefault.reason}`;
    return { said, looks, decided: [] };
  }
  const isHeld = ruling.verdict === 'allow' && approvalRequired;
  const said = isHeld
    ? `ask: ${byDefault.reason}; approval: require holds whatever rule "${ruling.rule}" allows`
    : `${ruling.verdict}: rule "${ruling.rule}": ${ruling.reason}`;
  const decided = ruling.demand === undefined ? [] : [`decided by: ${demandWords(ruling.demand)}`];
  return { said, looks, decided };
}

/** The rules of a file: `rules` at its top, or the `approvals` of an agent. */
function judgeOf(file: string): Judge {
  const readFile = (path: string): string => readFileSync(path, 'utf8');
  let source: string;
  try {
    source = readFile(file);
  } catch {
    throw new Error(`${file} cannot be read; is its path right?`);
  }
  if (/^rules\s*:/m.test(source)) return { policy: parsePolicy(source, file), servers: [] };
  const { policy, mcpServers: servers } = loadAgentConfig(file, { readFile }).config;
  if (policy === undefined)
    throw new ConfigError(file, [`${file}: it has no rules: neither approvals nor approvals_file`]);
  return { policy, servers };
}

const callKeys = ['server', 'tool', 'agent', 'node', 'args', 'annotations', 'caller', 'run'];

/** A call but for its hints; `annotations` undefined: it gives none. */
function callOf(text: string): {
  readonly asked: Omit<PolicyCall, 'hints'>;
  readonly context: PolicyContext;
  readonly annotations: Json | undefined;
} {
  const parsed = mappingIn(parseJson(text), '--call');
  for (const key of Object.keys(parsed))
    if (!callKeys.includes(key)) throw new Error(`--call: there is no ${key}; there are ${callKeys.join(', ')}`);
  const read = canonicalArguments(JSON.stringify(parsed.args ?? {}));
  if ('problem' in read) throw new Error(`--call: args: ${read.problem}`);
  const asked = {
    server: textIn(parsed, 'server'),
    tool: textIn(parsed, 'tool'),
    agent: textIn(parsed, 'agent'),
    node: textIn(parsed, 'node'),
    argumentsJson: read.json,
  };
  const caller = mappingIn(parsed.caller ?? {}, 'caller');
  const run = mappingIn(parsed.run ?? {}, 'run');
  return {
    asked,
    // In the form in which a tool has them: {"destructiveHint": true}.
    annotations: parsed.annotations,
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
