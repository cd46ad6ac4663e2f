import type { OfferedTool, ToolNode, Toolset } from '../agent/definition.ts';
import { looksAlike } from '../text/look-alike.ts';
import type { CallKind } from './kind.ts';
import { callKinds } from './kinds.ts';
import { takesAll } from './takes-tool.ts';

/**
 * What a node may call: an llm node those tools of the run that it takes, its own agents, and the platform's own tools; an a2a node
 * its agent.
 */
export function offeredTo(node: ToolNode, tools: Toolset): Toolset {
  const { tool, ...others } = callKinds;
  const own: OfferedTool[] = Object.values<CallKind>(others).flatMap(({ offers }) => offers(node, tools));
  if (own.length === 0 && node.type === 'llm' && takesAll(node)) return tools;
  // The configuration names the agents: a tool server must not have one that looks like them.
  const ofServers = tool.offers(node, tools).filter(({ name }) => !own.some((one) => looksAlike(name, one.name)));
  return new Map([...ofServers, ...own].map((one) => [one.name, one]));
}
