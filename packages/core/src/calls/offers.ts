import type { AgentSource, CallingLimits } from '../agent/calling.ts';
import { nodeAt, type OfferedTool, type Toolset } from '../agent/definition.ts';
import { type DefinedRun, type Definitions, definitionOf, digestsOf } from '../agent/definitions.ts';
import { callAbove, rootStep } from '../agent/step-id.ts';
import type { CalledAgent } from '../state/state.ts';
import { looksAlike } from '../text/look-alike.ts';
import type { CallSite } from './call-site.ts';
import type { CallKind, OfferPlace } from './kind.ts';
import { callKinds } from './kinds.ts';
import { takesAll } from './takes-tool.ts';

/**
 * What a node may call: an llm node those tools of the run that it takes, its own agents, and the platform's own tools; an a2a node
 * its agent.
 */
export function offeredTo(place: OfferPlace, tools: Toolset): Toolset {
  const { node } = place;
  const { tool, ...others } = callKinds;
  const own: OfferedTool[] = Object.values<CallKind>(others).flatMap(({ offers }) => offers(place, tools));
  if (own.length === 0 && node.type === 'llm' && takesAll(node)) return tools;
  // The configuration names the agents: a tool server must not have one that looks like them.
  const ofServers = tool.offers(place, tools).filter(({ name }) => !own.some((one) => looksAlike(name, one.name)));
  return new Map([...ofServers, ...own].map((one) => [one.name, one]));
}

/** A run, as far as calls of agents of it are judged by it. */
type CallingRun = DefinedRun & {
  readonly agentLimits?: CallingLimits;
  readonly source?: AgentSource;
  readonly calls?: Readonly<Record<string, { readonly called?: CalledAgent }>>;
};

/** Where a step makes its calls; undefined if its node makes none. */
export function callSiteOf(definitions: Definitions, run: CallingRun, stepId: string): CallSite | undefined {
  const { agent, tools, policy } = definitionOf(definitions, run, stepId);
  const { policyDigest } = digestsOf(run, stepId);
  const { node, insideParallelOrLoop = false } = nodeAt(agent, stepId) ?? {};
  if (node?.type !== 'llm' && node?.type !== 'a2a') return undefined;
  const { platform } = agent;
  const { agentLimits: limits } = run;
  return {
    node,
    insideParallelOrLoop,
    agentName: agent.name,
    agents: agentPath(definitions, run, stepId),
    commit: sourceOf(run, stepId)?.commit ?? '',
    ...(policy === undefined || policyDigest === undefined ? {} : { policy, policyDigest }),
    offered: offeredTo({ node, ...(platform && { platform }), isRoot: node === agent.root }, tools),
    ...(platform === undefined || limits === undefined ? {} : { calling: { allowed: platform.allowedAgents, limits } }),
  };
}

/** The agents that work one below another down to a step, that of the run first. */
export function agentPath(definitions: Definitions, run: CallingRun, stepId: string): readonly string[] {
  const below: string[] = [];
  for (let caller = callAbove(stepId); caller !== undefined; caller = callAbove(caller)) {
    below.unshift(run.calls?.[caller]?.called?.agent ?? '');
  }
  return [definitionOf(definitions, run, rootStep).agent.name, ...below];
}

/** Where the definition that a step follows comes from; undefined: not from a repository. */
function sourceOf(run: CallingRun, stepId: string): AgentSource | undefined {
  const caller = callAbove(stepId);
  return caller === undefined ? run.source : run.calls?.[caller]?.called?.source;
}
