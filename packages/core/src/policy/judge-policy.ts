/** Which rule of a policy decides a call. */

import { byteLength } from '../text/cut.ts';
import { matchesGlob } from '../text/glob.ts';
import { type Json, parseJson } from '../text/json.ts';
import { type Bindings, bindings, evaluate, type Predicate, readPredicate } from './cel.ts';
import type { Sizes } from './cel-check.ts';
import type { Hints } from './hints.ts';
import { mergeDemands } from './merge-demands.ts';
import type { DemandSpec, Policy, Rule, RuleVerdict } from './policy.ts';

/** A call as rules see it. */
export type PolicyCall = {
  /** Empty for a delegation. */
  readonly server: string;
  /** Name under which it is made. */
  readonly tool: string;
  /** Name of the agent that makes it. */
  readonly agent: string;
  /** The agents that work one below another, from that of the run to the one that makes it. */
  readonly agents: readonly string[];
  /** Commit of the file that the agent comes from; empty: not from git. */
  readonly commit: string;
  readonly node: string;
  readonly hints: Hints;
  /** In canonical form. */
  readonly argumentsJson: string;
};

/** Whom the run answers. */
export type PolicyCaller = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  /** Empty if nobody is authenticated. */
  readonly role: string;
  readonly groups: readonly string[];
  readonly authenticated: boolean;
};

/** Nobody in particular. */
export const nobody: PolicyCaller = { id: '', email: '', name: '', role: '', groups: [], authenticated: false };

/** What a run has done before a call. */
export type RunSoFar = {
  /** How often the step has asked its model, this time too. */
  readonly turn: number;
  /** Calls that were not refused, by `server/tool`; whatever became of them. */
  readonly calls: Readonly<Record<string, number>>;
  /** Calls that people have said yes to. */
  readonly approvals: number;
};

/** Nothing so far. */
export const nothingYet: RunSoFar = { turn: 1, calls: {}, approvals: 0 };

/** What a call is judged by, beside itself. */
export type PolicyContext = { readonly caller: PolicyCaller; readonly run: RunSoFar };

/** What a policy makes of a call. */
export type Ruling = {
  readonly verdict: RuleVerdict;
  /** Name of the rule that decided. */
  readonly rule: string;
  readonly reason: string;
  readonly demand?: DemandSpec;
  /** Names of all rules whose demands these are. */
  readonly asking: readonly string[];
  /** A rule could not be evaluated: a person is to look at this very call. */
  readonly isUnknown?: true;
};

/** Name under which the calls of a tool are counted. */
export function countedAs({ server, tool }: Pick<PolicyCall, 'server' | 'tool'>): string {
  return `${server}/${tool}`;
}

/**
 * What the first rule that matches makes of a call; undefined if none does. A predicate that cannot be evaluated counts as one that asks:
 * the rules after it are tried as well, and what the first of them says counts too: a no, or what its approval takes beside (see
 * `mergeDemands`). So nobody gets around a rule by arguments that one of them cannot be evaluated over. Where nobody could decide by
 * both, it is a no.
 */
export function judgeByPolicy(policy: Policy, call: PolicyCall, context: PolicyContext): Ruling | undefined {
  let unknown: Ruling | undefined;
  for (const { rule, look } of looksAt(policy, call, context)) {
    if (look.kind === 'passed') continue;
    const ruling = rulingOf(rule);
    if (look.kind === 'matches') return both(unknown, ruling);
    const reason = `rule "${rule.name}" cannot be evaluated: ${look.why}`;
    unknown = both(unknown, { ...ruling, verdict: 'ask', reason, isUnknown: true });
  }
  return unknown;
}

/** What one look at a rule finds: it is about the call, or why it is not, or why nobody can tell. */
export type Look =
  | { readonly kind: 'matches' }
  | { readonly kind: 'passed'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string };

/** Looks at the rules one after the other, up to the first that is about the call. */
export function* looksAt(
  { rules }: Policy,
  call: PolicyCall,
  context: PolicyContext,
): Generator<{ readonly rule: Rule; readonly look: Look }> {
  let given: Given | undefined;
  for (const rule of rules) {
    const other = differenceOf(rule, call);
    if (other === undefined && rule.when !== undefined) given ??= givenOf(call, context);
    const look: Look =
      other === undefined ? lookWhen(rule, given) : { kind: 'passed', why: `it is about another ${other}` };
    yield { rule, look };
    if (look.kind === 'matches') return;
  }
}

function lookWhen(rule: Rule, given: Given | undefined): Look {
  if (rule.when === undefined || given === undefined) return { kind: 'matches' };
  const predicate = predicateOf(rule, rule.when);
  if ('message' in predicate) return { kind: 'unknown', why: predicate.message };
  const evaluated = evaluate(predicate, given.bindings, given.sizes);
  if (evaluated.kind === 'unknown') return evaluated;
  return evaluated.value ? { kind: 'matches' } : { kind: 'passed', why: 'its predicate is false' };
}

/** What rules that cannot be evaluated, and one after them, make of a call together. */
function both(unknown: Ruling | undefined, next: Ruling): Ruling {
  if (unknown === undefined || next.verdict === 'deny') return next;
  if (unknown.verdict === 'deny' || next.verdict === 'allow') return unknown;
  const merged = mergeDemands(next.demand, unknown.demand);
  const { rule, reason } = unknown;
  if (merged === undefined) {
    const nobodyMay = `nobody may decide both by it and by rule "${next.rule}"`;
    return { verdict: 'deny', rule, reason: `${reason}; ${nobodyMay}`, asking: [], isUnknown: true };
  }
  // Of rules that nobody can tell anything of, the first is named.
  const named = next.isUnknown ? { rule, reason } : { rule: next.rule, reason: `${reason}; ${next.reason}` };
  return { verdict: 'ask', ...named, ...merged, asking: [...unknown.asking, ...next.asking], isUnknown: true };
}

function rulingOf({ name: rule, verdict, reason, demand }: Rule): Ruling {
  const why = reason === '' ? byRule[verdict](rule) : reason;
  return { verdict, rule, reason: why, asking: [rule], ...(demand && { demand }) };
}

const byRule: Readonly<Record<RuleVerdict, (rule: string) => string>> = {
  allow: (rule) => `rule "${rule}" allows it`,
  ask: (rule) => `rule "${rule}" wants a person to decide`,
  deny: (rule) => `rule "${rule}" does not allow it`,
};

/** What of a call a rule is not about, but for its predicate; undefined if nothing. */
function differenceOf({ server, tool, agent, node, annotations = {} }: Rule, call: PolicyCall): string | undefined {
  const isOther = (glob: string | undefined, name: string): boolean => glob !== undefined && !matchesGlob(glob, name);
  if (isOther(tool, call.tool)) return 'tool';
  if (isOther(server, call.server)) return 'server';
  if (isOther(agent, call.agent)) return 'agent';
  if (isOther(node, call.node)) return 'node';
  const hints = Object.keys(annotations) as (keyof Hints)[];
  return hints.every((hint) => annotations[hint] === call.hints[hint]) ? undefined : 'kind of tool (annotations)';
}

const predicates = new WeakMap<Rule, ReturnType<typeof readPredicate>>();

/** Read once for each rule. */
function predicateOf(rule: Rule, when: string): Predicate | { readonly message: string } {
  const known = predicates.get(rule) ?? readPredicate(when);
  predicates.set(rule, known);
  return known;
}

/** What predicates are evaluated over. */
type Given = { readonly bindings: Bindings; readonly sizes: Sizes };

function givenOf(
  { server, tool, agent, agents, commit, node, hints, argumentsJson }: PolicyCall,
  { caller, run }: PolicyContext,
): Given {
  const args = asMaps(parseJson(argumentsJson) ?? {});
  const { readOnly: read_only, destructive, idempotent, openWorld: open_world } = hints;
  const annotations = { read_only, destructive, idempotent, open_world };
  const counts = Object.entries(run.calls);
  const sum = (some: readonly (readonly [string, number])[]): bigint =>
    BigInt(some.reduce((all, [, one]) => all + one, 0));
  const counted = countedAs({ server, tool });
  const maps = {
    args: args instanceof Map ? args : new Map(),
    call: mapOf({ server, tool, agent, agents, commit, node, annotations: mapOf(annotations) }),
    caller: mapOf(caller),
    run: mapOf({
      turn: BigInt(run.turn),
      calls: sum(counts),
      calls_of_server: sum(counts.filter(([name]) => name.startsWith(`${server}/`))),
      calls_of_tool: sum(counts.filter(([name]) => name === counted)),
      tools: new Map(counts.map(([name, count]) => [name, BigInt(count)])),
      approvals: BigInt(run.approvals),
    }),
  };
  const bytes = byteLength(argumentsJson) + byteLength(JSON.stringify([caller, agents]));
  const values = valuesOf(args) + caller.groups.length + agents.length + counts.length;
  return { bindings: bindings(maps), sizes: { bytes, values } };
}

const mapOf = (fields: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(fields));

/** JSON with maps for its objects. */
function asMaps(value: Json): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(asMaps);
  return new Map(Object.entries(value).map(([key, inner]) => [key, asMaps(inner)]));
}

function valuesOf(value: unknown): number {
  if (value instanceof Map) return [...value.values()].reduce((sum: number, inner) => sum + valuesOf(inner), 1);
  if (Array.isArray(value)) return value.reduce((sum: number, inner) => sum + valuesOf(inner), 1);
  return 1;
}
