import { problemLine, type YamlPath } from './problem.ts';
import type { AgentConfig, AgentNodeConfig } from './types.ts';

/**
 * What the file may say and this version cannot do yet: refused at start rather than ignored. The file has been
 * validated as a whole before, so that an agent written for a later version is checked today.
 */
export function unbuiltProblems(config: AgentConfig): string[] {
  if (config.a2a.length === 0) return unbuiltNodes(config.agent, ['agent']);
  const top = `a2a: delegating to other agents ${NOT_BUILT}; remove the list`;
  // Without a tree the only node has the list of the top level: that is told once.
  return [top, ...(config.agent.type === 'llm' ? [] : unbuiltNodes(config.agent, ['agent']))];
}

const NOT_BUILT = 'is not built in this version';

function unbuiltNodes(node: AgentNodeConfig, path: YamlPath): string[] {
  switch (node.type) {
    case 'llm': {
      const problem = `delegating to other agents ${NOT_BUILT}; remove the list`;
      return node.a2a.length === 0 ? [] : [problemLine([...path, 'a2a'], problem)];
    }
    case 'a2a':
      return [problemLine(path, `a node of type "a2a" ${NOT_BUILT}; remove it`)];
    default:
      return node.agents.flatMap((child, index) => unbuiltNodes(child, [...path, 'agents', index]));
  }
}
