import { readFileSync } from 'node:fs';
import {
  effectiveHints,
  type Hints,
  judgeByPolicy,
  looksAt,
  type Policy,
  type PolicyCall,
  type PolicyContext,
  policyVerdict,
} from '@stopgo/core';
import { ConfigError, loadAgentConfig, type McpServerConfig, parsePolicy, type Unannotated } from '@stopgo/runtime';
import { oneLine } from '../shown.ts';
import { readCall } from './read-call.ts';
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
  const { asked, context, annotations } = readCall(call);
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
