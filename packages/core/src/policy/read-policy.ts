/** A policy from plain data, as YAML or JSON gives it: the `approvals` of a configuration, or a file of its own. */

import { readPredicate } from './cel.ts';
import type { Hints } from './hints.ts';
import { readNotify } from './notify.ts';
import type { Policy, Rule, RuleVerdict } from './policy.ts';
import { didYouMean, isMapping, type PolicyProblem, PolicyReader } from './policy-reader.ts';
import { demandKeys, readDemand } from './read-demand.ts';

/** Rules of one policy. */
export const rulesMax = 500;
const whenCharactersMax = 4_000;
const reasonCharactersMax = 1_000;

const globKeys = ['server', 'tool', 'agent', 'node'] as const;
const ruleKeys = ['name', ...globKeys, 'annotations', 'when', 'verdict', 'reason', ...demandKeys, 'notify'];
const verdicts: readonly RuleVerdict[] = ['allow', 'ask', 'deny'];

/** Keys of `annotations`, and the hints that they are about. */
const annotationKeys: Readonly<Record<string, keyof Hints>> = {
  read_only: 'readOnly',
  destructive: 'destructive',
  idempotent: 'idempotent',
  open_world: 'openWorld',
};

/** A policy, or all that is wrong with it. */
export type ReadPolicy =
  | { readonly kind: 'policy'; readonly policy: Policy }
  | { readonly kind: 'problems'; readonly problems: readonly PolicyProblem[] };

/** Reads a policy. Never throws. `webhooks`: the names of those that it may name; undefined: any. */
export function readPolicy(value: unknown, webhooks?: readonly string[]): ReadPolicy {
  const problems: PolicyProblem[] = [];
  const reader = new PolicyReader(problems, [], '', webhooks);
  const rules = isMapping(value) ? readRules(value, reader) : [];
  const notify = isMapping(value) ? readNotify(value.notify, reader.at('notify')) : undefined;
  if (!isMapping(value)) reader.problem('expected a mapping with the key rules');
  return problems.length > 0
    ? { kind: 'problems', problems }
    : { kind: 'policy', policy: { rules, ...(notify && { notify }) } };
}

function readRules(value: Readonly<Record<string, unknown>>, reader: PolicyReader): Rule[] {
  reader.keys(value, ['rules', 'notify']);
  const rules: Rule[] = [];
  for (const { value: one, at } of reader.at('rules').list(value.rules, rulesMax)) {
    if (!isMapping(one)) {
      at.problem('expected a mapping: a rule has at least a name and a verdict');
      continue;
    }
    const rule = readRule(one, at);
    if (rules.some(({ name }) => name === rule.name && name !== ''))
      at.at('name').problem(`${at.quoted(rule.name)} is the name of a rule before it; give each another`);
    rules.push(rule);
  }
  return rules;
}

function readRule(value: Readonly<Record<string, unknown>>, place: PolicyReader): Rule {
  const name = typeof value.name === 'string' ? value.name : '';
  const reader = place.inRule(name);
  if (value.name === undefined) reader.problem('name is required');
  else if (!reader.isName(name)) reader.at('name').problem('expected a name: one line of text, at most 200 bytes');
  reader.keys(value, ruleKeys);
  const verdict = verdicts.find((one) => one === value.verdict);
  if (value.verdict === undefined) reader.problem('verdict is required: allow, ask or deny');
  else if (verdict === undefined)
    reader.at('verdict').problem(`expected allow, ask or deny${didYouMean(value.verdict, verdicts)}`);
  for (const key of [...demandKeys, 'notify'])
    if (value[key] !== undefined && verdict !== undefined && verdict !== 'ask')
      reader.at(key).problem(`is for rules that ask; the verdict of this one is ${verdict}`);
  const demand = readDemand(value, reader);
  const notify = readNotify(value.notify, reader.at('notify'));
  const when = readWhen(value.when, reader.at('when'));
  const annotations = value.annotations === undefined ? undefined : readAnnotations(value.annotations, reader);
  return {
    name,
    ...globsOf(value, reader),
    ...(annotations && { annotations }),
    ...(when === undefined ? {} : { when }),
    verdict: verdict ?? 'ask',
    reason: readText(value.reason, reader.at('reason'), reasonCharactersMax) ?? '',
    ...(demand && { demand }),
    ...(notify && { notify }),
  };
}

function readWhen(value: unknown, reader: PolicyReader): string | undefined {
  const when = readText(value, reader, whenCharactersMax);
  const predicate = when === undefined ? undefined : readPredicate(when);
  const fault = predicate !== undefined && 'message' in predicate ? predicate : predicate?.never;
  if (fault !== undefined) {
    const { message, offset } = fault;
    const lines = (when ?? '').slice(0, offset).split('\n');
    const line = lines.length === 1 ? '' : `line ${lines.length}, `;
    reader.problem(`${message} (${line}character ${(lines.at(-1) ?? '').length + 1} of it)`);
  }
  return when;
}

function globsOf(
  value: Readonly<Record<string, unknown>>,
  reader: PolicyReader,
): Pick<Rule, (typeof globKeys)[number]> {
  const globs = globKeys.flatMap((key) => {
    const glob = value[key];
    if (glob === undefined) return [];
    if (typeof glob === 'string' && reader.isName(glob)) return [[key, glob] as const];
    reader.at(key).problem('expected a name, or a pattern of names: * for any characters, ? for one');
    return [];
  });
  return Object.fromEntries(globs);
}

function readAnnotations(value: unknown, reader: PolicyReader): Partial<Hints> {
  const at = reader.at('annotations');
  if (!isMapping(value)) {
    at.problem(`expected a mapping of ${Object.keys(annotationKeys).join(', ')} to true or false`);
    return {};
  }
  at.keys(value, Object.keys(annotationKeys));
  return Object.fromEntries(
    Object.entries(annotationKeys).flatMap(([key, hint]) =>
      value[key] === undefined ? [] : [[hint, at.at(key).flag(value[key])]],
    ),
  );
}

/** Text that holds something; undefined if there is none. */
function readText(value: unknown, reader: PolicyReader, charactersMax: number): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.trim() === '') {
    reader.problem('expected text');
    return undefined;
  }
  if (value.length <= charactersMax) return value.trim();
  reader.problem(`has ${value.length} characters; at most ${charactersMax} are taken`);
  return undefined;
}
