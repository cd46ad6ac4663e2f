import { type AgentDefinition, type AgentNode, childrenOf, type RemoteAgent } from '@stopgo/core';
import type { AgentConfig, AgentNodeConfig, RemoteAgentConfig } from '@stopgo/runtime';
import { mayCarryToken } from '@stopgo/security';

/** The agent of a configuration, as the core drives it. */
export function agentDefinition(config: AgentConfig): AgentDefinition {
  return { name: config.name, root: node(config.agent, config) };
}

/** Names of all models that the agent uses. */
export function modelsOf(definition: AgentDefinition): string[] {
  const names = (one: AgentNode): string[] =>
    one.type === 'llm' ? [one.model, ...(one.fallbacks ?? [])] : childrenOf(one).flatMap(names);
  return [...new Set(names(definition.root))];
}

/** The prompt that is shown as the first message of a conversation. */
export function systemPromptOf(config: AgentConfig): string {
  return config.agent.type === 'llm' ? config.agent.prompt : config.prompt;
}

function node(of: AgentNodeConfig, config: AgentConfig): AgentNode {
  switch (of.type) {
    case 'llm':
      return {
        type: 'llm',
        name: of.name,
        model: of.model,
        ...(of.fallbacks === undefined ? {} : { fallbacks: of.fallbacks }),
        prompt: of.prompt,
        outputKey: of.outputKey ?? '',
        canExitLoop: of.canExitLoop,
        turnsMax: config.maxTurns,
        approval: of.approvalRequired ? 'require' : 'default',
        ...(of.onReject === 'continue' ? { onReject: 'continue' } : {}),
        ...agentsFor(of.a2a, config),
        ...(of.toolServers === undefined ? {} : { toolServers: of.toolServers }),
        ...(of.tools === undefined ? {} : { tools: of.tools }),
      };
    case 'sequential':
      return { type: 'sequential', ...parent(of, config) };
    case 'parallel':
      return { type: 'parallel', ...parent(of, config), onError: of.onError };
    case 'loop':
      return { type: 'loop', ...parent(of, config), iterationsMax: of.maxIterations };
    case 'a2a':
      return {
        type: 'a2a',
        name: of.name,
        agent: remoteAgent(of, config),
        prompt: of.prompt,
        approval: of.approvalRequired ? 'require' : 'default',
        ...(of.outputKey === undefined ? {} : { outputKey: of.outputKey }),
        ...(of.onReject === 'continue' ? { onReject: 'continue' } : {}),
      };
  }
}

/** A node's own agents, and those of the top level, whose names it may take for its own. */
function agentsFor(
  own: readonly RemoteAgentConfig[],
  config: Pick<AgentConfig, 'a2a' | 'allowHttpTokensTo'>,
): { readonly agents?: readonly RemoteAgent[] } {
  const names = new Set(own.map(({ name }) => name));
  const all = [...own, ...config.a2a.filter(({ name }) => !names.has(name))];
  return all.length === 0 ? {} : { agents: all.map((agent) => remoteAgent(agent, config)) };
}

/** Tokens go to https and loopback addresses, and over plain http to the hosts that are allowed by name. */
function remoteAgent(
  { name, url, description, destructive, tokenOrigins = [] }: RemoteAgentConfig,
  { allowHttpTokensTo }: Pick<AgentConfig, 'allowHttpTokensTo'>,
): RemoteAgent {
  const others = tokenOrigins.filter((origin) => mayCarryToken(origin, allowHttpTokensTo));
  const forwardsBearer = mayCarryToken(url, allowHttpTokensTo);
  return {
    name,
    url,
    description,
    destructive,
    forwardsBearer,
    ...(others.length === 0 ? {} : { tokenOrigins: others }),
  };
}

function parent(of: Exclude<AgentNodeConfig, { type: 'llm' | 'a2a' }>, config: AgentConfig) {
  const { name, outputKey, agents } = of;
  return {
    name,
    children: agents.map((child) => node(child, config)),
    ...(outputKey === undefined ? {} : { outputKey }),
  };
}
