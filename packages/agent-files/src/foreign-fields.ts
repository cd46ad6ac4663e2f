import { problemAt } from '@stopgo/runtime/yaml';
import type { AgentFields } from './agent-file.ts';
import { claudeKeys, githubKeys, withoutEffect } from './foreign-keys.ts';
import type { FieldsReading, Remark } from './own-fields.ts';

type Data = Readonly<Record<string, unknown>>;

/** What the tools of an agent come to: patterns of tools, and the agents that it may call by one of them. */
type ToolNames = {
  readonly patterns: readonly string[];
  readonly agents: readonly string[];
  /** Names that limit what a tool is called with: they cannot be kept, and the tool is not offered. */
  readonly limited: readonly string[];
};

/** Reads the keys of an agent that was written for another program. `title`: its name, as its file is called. */
export function foreignFields(format: 'claude' | 'github', data: Data, title: string): FieldsReading {
  const parsed = format === 'claude' ? claudeKeys.safeParse(data) : githubKeys.safeParse(data);
  const warnings: Remark[] = Object.entries(withoutEffect[format])
    .filter(([key]) => key in data)
    .map(([key, why]) => ({ message: `${key}: has no effect here: ${why}`, place: [key] }));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => ({
      message: problemAt(path, message).line,
      place: path,
    }));
    return { problems, warnings };
  }
  const keys: ForeignKeys = parsed.data;
  const tools = keys.tools === undefined ? undefined : toolNames(keys.tools);
  const denied = toolNames(keys.disallowedTools ?? []);
  for (const name of tools?.limited ?? [])
    warnings.push({
      message: `tools: ${name} is not offered: what a tool is called with is limited by the rules of the platform`,
      place: ['tools'],
    });
  if (keys.model !== undefined && keys.model !== 'inherit' && !namesModel(keys.model))
    warnings.push({
      message: `model: "${keys.model}" does not say whose model it is, so the usual one of the platform is asked; write for example anthropic:claude-sonnet-4-5`,
      place: ['model'],
    });
  if (format === 'claude' && keys.name !== undefined && keys.name !== title)
    warnings.push({ message: `name: the agent is called "${title}" here, as its file`, place: ['name'] });
  return { fields: fieldsOf(keys, tools, [...denied.patterns, ...denied.limited.map(bare)]), problems: [], warnings };
}

type ForeignKeys = {
  readonly name?: string | undefined;
  readonly description: string;
  readonly tools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
};

/** They were told their task alone, and were done with an answer. */
function fieldsOf(keys: ForeignKeys, tools: ToolNames | undefined, denied: readonly string[]): AgentFields {
  const patterns = [...(tools?.patterns ?? ['*']), ...denied.map((pattern) => `!${pattern}`)];
  const isAll = patterns.length === 1 && patterns[0] === '*';
  return {
    ...(keys.name === undefined ? {} : { title: keys.name }),
    description: keys.description,
    tags: [],
    examples: [],
    ...(keys.model !== undefined && namesModel(keys.model) ? { model: keys.model } : {}),
    providers: [],
    ...(isAll ? {} : { tools: patterns }),
    allowedAgents: keys.agents ?? tools?.agents ?? [],
    contextScope: 'NONE',
    completionRequired: false,
    approvals: 'default',
    ...(keys.maxTurns === undefined ? {} : { turnsMax: keys.maxTurns }),
  };
}

/** A model as the platform names it. Those programs also have short names (`sonnet`), and those of their own lists (`GPT-5 (copilot)`). */
const namesModel = (model: string): boolean => /^(?:[\w.-]+:|claude-|gemini-)[^\s()]+$/.test(model);

/** Names under which these programs offer that other agents are called. */
const agentTools: readonly string[] = ['Agent', 'Task', 'agent', 'custom-agent'];

function toolNames(names: readonly string[]): ToolNames {
  const patterns: string[] = [];
  const agents: string[] = [];
  const limited: string[] = [];
  for (const name of names) {
    const inside = /\(([\s\S]*)\)$/.exec(name)?.[1];
    if (agentTools.includes(bare(name))) agents.push(...(inside === undefined ? ['*'] : namesIn(inside)));
    else if (inside !== undefined) limited.push(name);
    else patterns.push(qualified(name));
  }
  return { patterns, agents, limited };
}

const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

const bare = (name: string): string => name.replace(/\([\s\S]*\)$/, '').trim();

/** `mcp__server__tool` is `server/tool`; `mcp__server` all of the server. What begins with `!` would mean the opposite here. */
function qualified(name: string): string {
  const [, server, tool = '*'] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? [];
  return (server === undefined ? name : `${server}/${tool}`).replace(/^!+/, '');
}
