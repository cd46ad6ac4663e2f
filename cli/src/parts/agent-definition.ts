import type { AgentDefinition, AgentNode } from '@stopgo/core';
import type { AgentConfig, AgentNodeConfig } from '@stopgo/runtime';

/** The agent of a configuration, as the core drives it. */
export function agentDefinition(config: AgentConfig): AgentDefinition {
  return { name: config.name, root: node(config.agent, config) };
}

/** Names of all models that the agent uses. */
export function modelsOf(definition: AgentDefinition): string[] {
  const names = (one: AgentNode): string[] => (one.type === 'llm' ? [one.model] : one.children.flatMap(names));
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
        prompt: of.prompt,
        outputKey: of.outputKey ?? '',
        canExitLoop: of.canExitLoop,
        turnsMax: config.maxTurns,
        approval: of.approvalRequired ? 'require' : 'default',
        ...(of.onReject === 'continue' ? { onReject: 'continue' } : {}),
      };
    case 'sequential':
      return { type: 'sequential', ...parent(of, config) };
    case 'parallel':
      return { type: 'parallel', ...parent(of, config), onError: of.onError };
    case 'loop':
      return { type: 'loop', ...parent(of, config), iterationsMax: of.maxIterations };
    case 'a2a':
      throw new Error(`node "${of.name}": a2a nodes are not built in this version`);
  }
}

function parent(of: Exclude<AgentNodeConfig, { type: 'llm' | 'a2a' }>, config: AgentConfig) {
  const { name, outputKey, agents } = of;
  return {
    name,
    children: agents.map((child) => node(child, config)),
    ...(outputKey === undefined ? {} : { outputKey }),
  };
}
