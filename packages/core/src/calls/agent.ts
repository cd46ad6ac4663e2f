/** Agents of this platform, each a subtree of the run that calls it. */
import { facts as wire } from '@stopgo/proto';
import { openAgentsMax } from '../text/bounds.ts';
import { matchesAny } from '../text/glob.ts';
import { parseJson } from '../text/json.ts';
import { quotedName, spoken } from '../text/visible.ts';
import type { CallSite } from './call-site.ts';
import type { CalledBefore, CallKind, CallProblem } from './kind.ts';
import { ownTool } from './own-tool.ts';

/** Name of the tool that calls an agent. */
export const callAgentTool = 'call_agent';

/** The arguments of a call of an agent. */
export type AgentCallArguments = {
  readonly agent: string;
  /** Its task. */
  readonly input: string;
  /** Absent: as the called agent's own definition says. */
  readonly contextScope?: 'FULL' | 'NONE' | 'SPECIFIC';
};

const scopes = ['FULL', 'NONE', 'SPECIFIC'] as const;

const description = 'Delegate a task to another specialized agent (internal or external)';
const inputSchemaJson = JSON.stringify({
  type: 'object',
  properties: {
    agent_name: {
      type: 'string',
      description: "Name of agent to call (e.g., 'sales/pr-agent', 'external/legal-expert')",
    },
    input: { type: 'string', description: 'Task description for the agent' },
    context_scope: {
      type: 'string',
      enum: scopes,
      default: 'FULL',
      description: 'How much context to share with child agent',
    },
  },
  required: ['agent_name', 'input'],
});

// It opens a part of the run: what that does is judged there, call by call.
const offer = ownTool(
  { target: { kind: 'agent', agent: '' }, name: callAgentTool, description, inputSchemaJson },
  { readOnly: false },
);

/** What the arguments of a call say; undefined if they are not such. */
export function agentCallOf(argumentsJson: string): AgentCallArguments | undefined {
  const parsed = parseJson(argumentsJson);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const { agent_name: agent, input, context_scope: scope } = parsed as { readonly [key: string]: unknown };
  if (typeof agent !== 'string' || agent === '' || typeof input !== 'string' || input.trim() === '') return undefined;
  if (scope === undefined || scope === null) return { agent, input };
  const contextScope = scopes.find((one) => one === scope);
  return contextScope === undefined ? undefined : { agent, input, contextScope };
}

/** Why an agent is not called from a place; undefined if it may be. `before`: calls of agents that were asked for before. */
export function problemOfAgentCall(agent: string, site: CallSite, before: CalledBefore): CallProblem | undefined {
  const { calling, agents: path } = site;
  const name = quotedName(agent);
  if (calling === undefined || !matchesAny(calling.allowed, agent)) {
    const allowed = (calling?.allowed ?? []).map(quotedName).join(', ');
    const may = allowed === '' ? 'it may call none' : `it may call ${allowed}`;
    return {
      text: `The agent ${quotedName(site.agentName)} may not call the agent ${name}; ${may}.`,
      agentRefusal: wire.AgentRefusal.NOT_ALLOWED,
    };
  }
  const { limits } = calling;
  if (!limits.circlesAllowed && path.includes(agent))
    return {
      text: `The agent ${name} waits for this one already (${[...path, agent].map(quotedName).join(' → ')}): it is not called in a circle.`,
      agentRefusal: wire.AgentRefusal.CIRCLE,
    };
  if (path.length >= limits.depthMax)
    return {
      text: `${path.length} agents call one below another, which is the most; do the task without the agent ${name}.`,
      agentRefusal: wire.AgentRefusal.DEPTH,
    };
  const { agentCallsBefore, agentsUnderWay } = before;
  if (agentCallsBefore >= limits.callsMax)
    return {
      text: `The run has called agents ${agentCallsBefore} times, which is the most; do the task without the agent ${name}.`,
      agentRefusal: wire.AgentRefusal.CALLS,
    };
  // None waits for another one to be done: those may wait for it.
  if (agentsUnderWay >= openAgentsMax)
    return {
      text: `${agentsUnderWay} agents work in this run now, which is the most; ask again when some are done.`,
      agentRefusal: wire.AgentRefusal.BUSY,
    };
  return undefined;
}

const malformed = `The arguments need agent_name and input, both texts, and context_scope, if given, one of ${scopes.join(', ')}; no agent was called.`;

/** The call opens a subtree in the log itself: nothing is sent. */
export const agentKind = {
  noun: 'the agent',
  offers: ({ node, platform }) => (node.type === 'llm' && platform !== undefined ? [offer] : []),
  addressed: (argumentsJson) => ({ kind: 'agent', agent: agentCallOf(argumentsJson)?.agent ?? '' }),
  problemOf: (argumentsJson, site, before) => {
    const asked = agentCallOf(argumentsJson);
    return asked === undefined ? { text: malformed } : problemOfAgentCall(asked.agent, site, before);
  },
  asked: {
    approvalKind: wire.ApprovalKind.DELEGATION,
    describe: ({ target, argumentsJson }) =>
      `**CALL Agent: ${quotedName(target)}**\n\nTask: ${spoken(agentCallOf(argumentsJson)?.input ?? argumentsJson)}`,
  },
} as const satisfies CallKind;
