import type { AgentDefinition, AgentNode, LlmNode, PlatformAgent } from '@stopgo/core';
import type { AgentNodeConfig } from '@stopgo/runtime/yaml';
import type { AgentFile } from './agent-file.ts';
import { type AskedModels, modelsOf } from './models.ts';

/** Model calls before an agent is ended whose file says nothing else. */
const turnsMaxDefault = 10;

/** What a file does not say, and the one who records it knows. */
export type Surroundings = {
  /** Of its repository; absent: it has none. */
  readonly namespace?: string;
  /** The model of agents that name none. */
  readonly model: string;
  readonly turnsMax?: number;
};

/** What others call an agent of a repository with this namespace. */
export function canonicalName(name: string, namespace = ''): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** The agent of a file as it is recorded. Prompts stay templates. */
export function defineAgentFile(
  file: AgentFile,
  { namespace, model, turnsMax = turnsMaxDefault }: Surroundings,
): AgentDefinition {
  const usual: Usual = { file, ...modelsOf(file, model), turnsMax: file.turnsMax ?? turnsMax };
  const root =
    file.tree === undefined ? { ...llmNode(usual), outputKey: file.outputKey ?? '' } : rootOf(file.tree.root, usual);
  return { name: canonicalName(file.name, namespace), root, platform: platformOf(file) };
}

/** What holds for all nodes of an agent that say nothing else. */
type Usual = AskedModels & { readonly file: AgentFile; readonly turnsMax: number };

/** The one node of an agent without a tree. */
function llmNode({ file, model, fallbacks, turnsMax }: Usual): LlmNode {
  return {
    type: 'llm',
    name: file.title,
    model,
    ...(fallbacks === undefined ? {} : { fallbacks }),
    prompt: file.prompt,
    outputKey: '',
    canExitLoop: false,
    turnsMax,
    approval: file.approvals,
    ...(file.onReject === 'continue' ? { onReject: 'continue' } : {}),
    ...(file.toolServers === undefined ? {} : { toolServers: file.toolServers }),
    ...(file.tools === undefined ? {} : { tools: file.tools }),
  };
}

function rootOf(of: AgentNodeConfig, usual: Usual): AgentNode {
  const root = node(of, usual);
  const { outputKey } = usual.file;
  return outputKey === undefined || of.outputKey !== undefined ? root : { ...root, outputKey };
}

function node(of: AgentNodeConfig, usual: Usual): AgentNode {
  switch (of.type) {
    case 'llm':
      return {
        ...llmNode(of.model === '' ? usual : { ...usual, model: of.model, fallbacks: of.fallbacks }),
        name: of.name,
        prompt: of.prompt,
        outputKey: of.outputKey ?? '',
        canExitLoop: of.canExitLoop,
        approval: of.approvalRequired ? 'require' : 'default',
        ...(of.onReject === 'continue' ? { onReject: 'continue' } : {}),
        ...(of.toolServers === undefined ? {} : { toolServers: of.toolServers }),
        ...(of.tools === undefined ? {} : { tools: of.tools }),
      };
    case 'sequential':
      return { type: 'sequential', ...parent(of, usual) };
    case 'parallel':
      return { type: 'parallel', ...parent(of, usual), onError: of.onError };
    case 'loop':
      return { type: 'loop', ...parent(of, usual), iterationsMax: of.maxIterations };
    case 'a2a':
      throw new Error('an agent file has no node that is elsewhere');
  }
}

function parent({ name, outputKey, agents }: Extract<AgentNodeConfig, { readonly agents: unknown }>, usual: Usual) {
  return {
    name,
    children: agents.map((child) => node(child, usual)),
    ...(outputKey === undefined ? {} : { outputKey }),
  };
}

function platformOf(file: AgentFile): PlatformAgent {
  const { title, description, version, tags, examples, allowedAgents, providers, models } = file;
  const { contextScope, context, executionMinutesMax, completionRequired, limits } = file;
  return {
    ...{ title, description, tags, examples, allowedAgents, providers, contextScope, completionRequired },
    ...(version === undefined ? {} : { version }),
    ...(models === undefined ? {} : { models }),
    ...(context === undefined ? {} : { context }),
    ...(executionMinutesMax === undefined ? {} : { executionMinutesMax }),
    ...(limits === undefined ? {} : { limits }),
  };
}
