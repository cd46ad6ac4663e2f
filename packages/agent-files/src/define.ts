import type { AgentDefinition, PlatformAgent } from '@stopgo/core';
import type { AgentFile } from './agent-file.ts';

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

/** The agent of a file as it is recorded. The prompt stays a template. */
export function defineAgentFile(file: AgentFile, { namespace, model, turnsMax }: Surroundings): AgentDefinition {
  const name = canonicalName(file.name, namespace);
  return {
    name,
    root: {
      type: 'llm',
      name: file.title,
      model: file.model ?? model,
      prompt: file.prompt,
      outputKey: file.outputKey ?? '',
      canExitLoop: false,
      turnsMax: file.turnsMax ?? turnsMax ?? turnsMaxDefault,
      approval: file.approvals,
      ...(file.onReject === 'continue' ? { onReject: 'continue' } : {}),
      ...(file.toolServers === undefined ? {} : { toolServers: file.toolServers }),
      ...(file.tools === undefined ? {} : { tools: file.tools }),
    },
    platform: platformOf(file),
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
