import { nodeAt, type OfferedTool, type ToolNode, type Toolset } from '../agent/definition.ts';
import { type DefinedRun, type Definitions, definitionOf, digestsOf } from '../agent/definitions.ts';
import type { Policy } from '../policy/policy.ts';
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

/** Where in a tree calls are made, and of what. */
export type CallSite = {
  readonly node: ToolNode;
  readonly insideParallelOrLoop: boolean;
  /** Of the agent whose tree it is. */
  readonly agentName: string;
  /** What its calls are judged by beside the defaults, and its digest; absent: by nothing else. */
  readonly policy?: Policy;
  readonly policyDigest?: string;
  /** All that the node may call. */
  readonly offered: Toolset;
};

/** Where a step makes its calls; undefined if its node makes none. */
export function callSiteOf(definitions: Definitions, run: DefinedRun, stepId: string): CallSite | undefined {
  const { agent, tools, policy } = definitionOf(definitions, run, stepId);
  const { policyDigest } = digestsOf(run, stepId);
  const { node, insideParallelOrLoop = false } = nodeAt(agent, stepId) ?? {};
  if (node?.type !== 'llm' && node?.type !== 'a2a') return undefined;
  return {
    node,
    insideParallelOrLoop,
    agentName: agent.name,
    ...(policy === undefined || policyDigest === undefined ? {} : { policy, policyDigest }),
    offered: offeredTo(node, tools),
  };
}
