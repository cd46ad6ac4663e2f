/** Agents of the platform that call each other, and what they do in tests. */
import {
  type AgentDefinition,
  allDefinitions,
  type ContextScope,
  type ConversationState,
  type Definitions,
  decideRun,
  definedAs,
  type Fact,
  type PlatformAgent,
  type RequestedCall,
  type RunCommand,
  receiveMessage,
} from '@stopgo/core';
import type { CallingLimits } from '../src/agent/calling.ts';
import type { Policy } from '../src/policy/policy.ts';
import { dawn } from './specification.ts';
import { call, happened, llm, me, modelAnswered, tools } from './story.ts';

export const limits: CallingLimits = { depthMax: 10, callsMax: 100, circlesAllowed: false };

/** An agent from git, of one llm node. */
export function platformAgent(name: string, more: Partial<PlatformAgent> = {}, node = {}): AgentDefinition {
  return {
    name,
    root: llm({ name, prompt: 'Task: {{prompt}}', onReject: 'continue', turnsMax: 6, ...node }),
    platform: {
      title: name,
      description: `What ${name} does.`,
      tags: [],
      examples: [],
      allowedAgents: ['*'],
      providers: [],
      contextScope: 'FULL',
      completionRequired: true,
      ...more,
    },
  };
}

export const tier1 = platformAgent('support/tier1', { allowedAgents: ['support/*'] });
export const billing = platformAgent('support/billing', { allowedAgents: ['support/*'] });
export const audit = platformAgent('audit', { allowedAgents: [] });

const known = [tier1, billing, audit];

export const digestsOfAgent = (name: string, policy?: Policy) => ({
  ...{ agentDigest: `agent ${name}`, toolsetDigest: 'tools' },
  ...(policy && { policyDigest: 'policy' }),
});

/** All agents of the tests. */
export const definitionsOf = (...more: readonly AgentDefinition[]): Definitions => defined(more);

const defined = (more: readonly AgentDefinition[], policy?: Policy): Definitions =>
  allDefinitions(
    [...known, ...more].map((agent) =>
      definedAs(digestsOfAgent(agent.name, policy), { agent, tools, ...(policy && { policy }) }),
    ),
  );

type Begun = { readonly agent?: AgentDefinition; readonly limits?: CallingLimits; readonly policy?: Policy };

/** A user asks an agent. */
export function asked(text: string, { agent = tier1, limits: held = limits, policy }: Begun = {}) {
  const source = { repository: 'agents', commit: 'c0ffee', path: `${agent.name}/prompt.md` };
  return happened((state: ConversationState) =>
    receiveMessage(state, {
      text,
      runId: 'run-1',
      agent: {
        ...digestsOfAgent(agent.name, policy),
        definitions: defined([agent], policy),
        calling: { limits: held, source, agentsTold: '- **support/billing**: What it does.' },
      },
      instance: me,
      bearerTokenPresent: false,
      now: dawn,
    }),
  );
}

type Deciding = {
  readonly holdsOn?: boolean;
  readonly now?: number;
  readonly more?: readonly AgentDefinition[];
  readonly policy?: Policy;
};

/** A driver wants something on the record. */
export function drives(
  commands: readonly RunCommand[],
  { now = dawn, more = [], policy, holdsOn: keeps = false }: Deciding = {},
) {
  return (state: ConversationState) => {
    const owner = state.run?.owner ?? { instance: me, epoch: 0 };
    const holdsOn = () => keeps;
    return decideRun(state, commands, { definitions: defined(more, policy), runId: 'run-1', me: owner, now, holdsOn });
  };
}

export const drove = (commands: readonly RunCommand[], how: Deciding = {}) => happened(drives(commands, how));

type Answer = Omit<Parameters<typeof modelAnswered>[0], 'turn'>;

/** A model answers. */
export function answers({ step = 'root', ...answer }: Answer, how: Deciding = {}) {
  return (state: ConversationState) =>
    drives([modelAnswered({ ...answer, step, turn: (state.run?.steps[step]?.turn ?? 0) + 1 })], how)(state);
}

export const answered = (answer: Answer, how: Deciding = {}): ((state: ConversationState) => readonly Fact[]) =>
  happened(answers(answer, how));

export const callsAgent = (name: string, input = 'Do it.', more: object = {}): RequestedCall =>
  call('call_agent', { agent_name: name, input, ...more });

export const completes = (result: string, status = 'SUCCESS', more: object = {}): RequestedCall =>
  call('complete_agent_execution', { result, status, ...more });

/** Its name was looked up: the agent works on the call. */
export function works(callId: string, agent: string, contextScope: ContextScope = 'FULL', policy?: Policy): RunCommand {
  const source = { repository: 'agents', commit: 'c0ffee', path: `${agent}/prompt.md` };
  return { type: 'callAgent', callId, agent, ...digestsOfAgent(agent, policy), contextScope, source };
}
