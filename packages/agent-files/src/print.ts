import { stringify } from 'yaml';
import type { AgentFile } from './agent-file.ts';

/**
 * An agent as a file of our own format, whatever format it was read from: its keys in one order, without those that say nothing. Read again
 * it is the same agent.
 */
export function printAgentFile(file: AgentFile): string {
  const { limits, context } = file;
  const all: Record<string, unknown> = {
    name: file.title === file.name ? undefined : file.title,
    description: file.description,
    version: file.version,
    tags: file.tags,
    model: file.model,
    models: file.models,
    providers: file.providers,
    mcpServers: file.toolServers ?? ['*'],
    tools: file.tools,
    allowedAgents: file.allowedAgents,
    examples: file.examples,
    contextScope: file.contextScope,
    context: context === undefined ? undefined : { ...context },
    maxExecutionMinutes: file.executionMinutesMax,
    completion: file.completionRequired ? undefined : 'optional',
    approvals: file.approvals === 'default' ? undefined : file.approvals,
    onReject: file.onReject,
    outputKey: file.outputKey,
    maxTurns: file.turnsMax,
    maxCost: limits?.costMax === undefined ? undefined : limits.costMax / 1_000_000,
    maxTokens: limits?.tokensMax,
    maxAgentCalls: limits?.agentCallsMax,
    onLimit: limits?.onLimit,
    agent: file.tree?.written,
  };
  const said = Object.entries(all).filter(
    ([key, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0 && key !== 'tools'),
  );
  const frontmatter = stringify(Object.fromEntries(said), {
    aliasDuplicateObjects: false,
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    lineWidth: 0,
  });
  return `---\n${frontmatter}---\n\n${file.prompt}\n`;
}
