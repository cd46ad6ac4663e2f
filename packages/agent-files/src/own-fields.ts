import { type AgentLimits, suggest } from '@stopgo/core';
import { isRequired, problemAt, quote, type YamlPath } from '@stopgo/runtime/yaml';
import type { AgentFields } from './agent-file.ts';
import { withoutModel } from './models.ts';
import { type OwnKeys, ownKeys } from './own-keys.ts';

/** What is said of a place of a frontmatter. */
export type Remark = { readonly message: string; readonly place: YamlPath };

/** What a format reads in a frontmatter. Without fields there is a problem. */
export type FieldsReading = {
  readonly fields?: AgentFields;
  readonly problems: readonly Remark[];
  readonly warnings: readonly Remark[];
};

const known = Object.keys(ownKeys.shape);

/** Reads the keys of our own format. */
export function ownFields(data: Readonly<Record<string, unknown>>): FieldsReading {
  const { values, written, problems, warnings } = spelled(data);
  const placed = ([first, ...rest]: YamlPath): YamlPath => [written.get(String(first)) ?? String(first), ...rest];
  const parsed = ownKeys.safeParse(values);
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) {
      const place = path.length === 0 ? path : placed(path);
      problems.push({
        message: problemAt(place, message).line,
        place: message === isRequired ? place.slice(0, -1) : place,
      });
    }
    return { problems, warnings };
  }
  for (const { key, message } of odd(parsed.data, values)) {
    const place = placed([key]);
    warnings.push({ message: problemAt(place, message).line, place });
  }
  return problems.length > 0 ? { problems, warnings } : { fields: fieldsOf(parsed.data), problems, warnings };
}

/** The same keys as we write them, and how the file writes each. */
function spelled(data: Readonly<Record<string, unknown>>) {
  const values: Record<string, unknown> = {};
  const written = new Map<string, string>();
  const problems: Remark[] = [];
  const warnings: Remark[] = [];
  for (const [key, value] of Object.entries(data)) {
    const own = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!known.includes(own)) {
      warnings.push({ message: unknownKey(key, known), place: [key] });
    } else if (written.has(own)) {
      problems.push({
        message: `${key} stands beside ${written.get(own)}, which is the same key; remove one`,
        place: [key],
      });
    } else {
      written.set(own, key);
      values[own] = value;
    }
  }
  const { context } = values;
  if (typeof context === 'object' && context !== null && !Array.isArray(context)) {
    const place = written.get('context') ?? 'context';
    for (const key of Object.keys(context))
      if (!['state', 'memories'].includes(key))
        warnings.push({ message: `${place}: ${unknownKey(key, ['state', 'memories'])}`, place: [place, key] });
  }
  return { values, written, problems, warnings };
}

/** A key that nobody knows may be a slip, or of another program: it is told of, and has no effect. */
export function unknownKey(key: string, all: readonly string[]): string {
  const meant = suggest(key, all);
  const hint = meant === undefined ? `known: ${all.join(', ')}` : `did you mean "${meant}"?`;
  return `unknown key ${quote(key)}, which has no effect; ${hint}`;
}

/** Keys that do nothing as the others are. */
function odd(
  keys: OwnKeys,
  given: Readonly<Record<string, unknown>>,
): { readonly key: string; readonly message: string }[] {
  const found: { key: string; message: string }[] = [];
  if (keys.context !== undefined && keys.contextScope !== 'SPECIFIC')
    found.push({ key: 'context', message: 'has an effect with contextScope: SPECIFIC only' });
  if (keys.tools !== undefined && keys.mcpServers.length === 0)
    found.push({ key: 'tools', message: 'has an effect only on the tools of mcpServers, of which none is named' });
  for (const provider of withoutModel(keys))
    found.push({ key: 'providers', message: `${quote(provider)} is not asked: models names no model of it` });
  for (const provider of Object.keys(keys.models ?? {}))
    if (!keys.providers.includes(provider))
      found.push({ key: 'models', message: `${quote(provider)} has no effect: it is not in providers` });
  if (given.onLimit !== undefined && limitsOf(keys) === undefined)
    found.push({ key: 'onLimit', message: 'has an effect with maxCost, maxTokens or maxAgentCalls only' });
  return found;
}

function fieldsOf(keys: OwnKeys): AgentFields {
  const limits = limitsOf(keys);
  const { mcpServers } = keys;
  return {
    ...given('title', keys.name),
    description: keys.description,
    ...given('version', keys.version),
    tags: keys.tags,
    examples: keys.examples,
    ...given('model', keys.model),
    ...given('models', keys.models),
    providers: keys.providers,
    ...(mcpServers.includes('*') ? {} : { toolServers: mcpServers }),
    ...given('tools', keys.tools),
    allowedAgents: keys.allowedAgents,
    contextScope: keys.contextScope,
    ...given('context', keys.context),
    ...given('executionMinutesMax', keys.maxExecutionMinutes),
    completionRequired: keys.completion === 'required',
    ...given('limits', limits),
    approvals: keys.approvals ?? 'default',
    ...given('onReject', keys.onReject),
    ...given('outputKey', keys.outputKey),
    ...given('turnsMax', keys.maxTurns),
    ...given('tree', keys.agent),
  };
}

function limitsOf({ maxCost, maxTokens, maxAgentCalls, onLimit }: OwnKeys): AgentLimits | undefined {
  if (maxCost === undefined && maxTokens === undefined && maxAgentCalls === undefined) return undefined;
  return {
    ...given('agentCallsMax', maxAgentCalls),
    ...given('tokensMax', maxTokens),
    ...given('costMax', maxCost === undefined ? undefined : Math.max(1, Math.round(maxCost * 1_000_000))),
    onLimit: onLimit ?? 'ask',
  };
}

/** A key with its value, if there is one. */
function given<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [one in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [one in Key]: Value });
}
