import type { AgentConfig } from './types.ts';

/**
 * What the file may say and this version cannot do yet: refused at start rather than ignored. The file has been
 * validated as a whole before, so that an agent written for a later version is checked today.
 */
export function unbuiltProblems(config: AgentConfig): string[] {
  const problems: string[] = [];
  if (config.a2a.length > 0) problems.push(`a2a: delegating to other agents ${NOT_BUILT}; remove the list`);
  if (config.agent.type !== 'llm') {
    problems.push(`agent: a tree of agents ${NOT_BUILT}; use one node of type "llm", or leave agent out`);
  } else if (config.a2a.length === 0 && config.agent.a2a.length > 0) {
    problems.push(`agent.a2a: delegating to other agents ${NOT_BUILT}; remove the list`);
  }
  return problems;
}

/** Keys that are accepted and have no effect yet. */
export function unbuiltWarnings(config: AgentConfig): string[] {
  return config.a2aGrpcPort === undefined ? [] : ['a2a_grpc_port: has no effect in this version'];
}

const NOT_BUILT = 'is not built in this version';
