/**
 * Other agents, as the core sees them: to a model each is a tool `a2a_<name>`, to the tree a node. Either way a delegation
 * is a call whose arguments hold one message, judged, approved, fenced and recovered as any call is.
 */
import {
  type A2aNode,
  type AgentDefinition,
  type AgentNode,
  nodeAt,
  type OfferedTool,
  type RemoteAgent,
  type ToolNode,
} from '../agent/definition.ts';
import { remoteOf } from '../events/target.ts';
import type { CallState } from '../state/state.ts';
import { callDigest, sha256Hex } from '../text/digest.ts';
import { canonicalJson, type Json, parseJson } from '../text/json.ts';

/** Name under which an agent is offered to models, and shown to people. */
export function agentToolName(agent: string): string {
  return `a2a_${agent}`;
}

const inputSchemaJson = JSON.stringify({
  type: 'object',
  properties: { message: { type: 'string', description: 'The message/task to send to the agent' } },
  required: ['message'],
});

/** An agent as it is offered. Its pin is that of its configuration: an approval holds for this agent at this address. */
export function agentTool(agent: RemoteAgent): OfferedTool {
  const { name, description, destructive, forwardsBearer } = agent;
  return {
    target: { kind: 'remote', agent: name },
    name: agentToolName(name),
    description: `Delegate task to A2A agent '${name}'. ${description}`.trimEnd(),
    inputSchemaJson,
    pin: sha256Hex(canonicalJson(agent as unknown as Json)),
    hints: { readOnly: false, destructive, idempotent: false, openWorld: true },
    approvalRequired: false,
    forwardsBearer,
  };
}

/** The agents that a tree may delegate to, each name once: nodes may know another agent by a name than the top level does. */
export function remoteAgentsOf(definition: AgentDefinition): RemoteAgent[] {
  const agents = (one: AgentNode): readonly RemoteAgent[] => {
    if ('children' in one) return one.children.flatMap(agents);
    return agentsOf(one);
  };
  const byName = new Map<string, RemoteAgent>();
  for (const agent of agents(definition.root)) if (!byName.has(agent.name)) byName.set(agent.name, agent);
  return [...byName.values()];
}

/** The agent that a call delegates to; undefined if the definition knows none of that name at the call's place. */
export function remoteAgentOf(
  definition: AgentDefinition,
  call: Pick<CallState, 'stepId' | 'target'>,
): RemoteAgent | undefined {
  const node = nodeAt(definition, call.stepId)?.node;
  if (node?.type !== 'llm' && node?.type !== 'a2a') return undefined;
  const name = remoteOf(call.target);
  return agentsOf(node).find((one) => one.name === name);
}

/**
 * The same agent, with something told to models about the agents that are configured without a description. `about` gives
 * that, empty where nothing is known.
 */
export function withAgentsDescribed(agent: AgentDefinition, about: (other: RemoteAgent) => string): AgentDefinition {
  const described = (node: AgentNode): AgentNode => {
    if ('children' in node) return { ...node, children: node.children.map(described) };
    if (node.type !== 'llm' || node.agents === undefined) return node;
    const told = (other: RemoteAgent) => (other.description === '' ? { ...other, description: about(other) } : other);
    return { ...node, agents: node.agents.map(told) };
  };
  return { ...agent, root: described(agent.root) };
}

/** The call that an a2a node makes of its message. */
export function callOfNode(node: A2aNode, message: string) {
  const argumentsJson = JSON.stringify({ message });
  return { providerCallId: '', name: agentToolName(node.agent.name), argumentsJson };
}

/** The message of a delegation, from its arguments; undefined if they hold none that can be sent. */
export function messageOfDelegation(argumentsJson: string): string | undefined {
  const parsed = parseJson(argumentsJson);
  if (typeof parsed !== 'object' || parsed === null || !('message' in parsed)) return undefined;
  const { message } = parsed;
  return typeof message === 'string' && message.trim() !== '' ? message : undefined;
}

/**
 * What a delegation sends, and to whom: the last look before it is sent. Throws if it is not exactly what was judged and,
 * where somebody had to be asked, approved.
 */
export function delegationOf(
  definition: AgentDefinition,
  call: CallState,
  argumentsJson: string,
): { readonly agent: RemoteAgent; readonly message: string } {
  const { id, tool, digest, gated, approvalId } = call;
  const agent = remoteAgentOf(definition, call);
  const message = messageOfDelegation(argumentsJson);
  if (agent === undefined || message === undefined) throw new Error(`${id} is no delegation`);
  const { pin } = agentTool(agent);
  if (callDigest({ server: '', tool, pin, argumentsJson }) !== digest)
    throw new Error(`the delegation ${id} is not the one that was judged`);
  if (gated && approvalId === undefined) throw new Error(`the delegation ${id} has no approval`);
  return { agent, message };
}

/** The agents that a node may delegate to. */
export function agentsOf(node: ToolNode): readonly RemoteAgent[] {
  return node.type === 'llm' ? (node.agents ?? []) : [node.agent];
}
