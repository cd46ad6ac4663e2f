/** Other agents, over A2A: a delegation is a call whose arguments hold one message. */
import { facts as wire } from '@stopgo/proto';
import { fact } from '../events/facts.ts';
import { remoteOf } from '../events/target.ts';
import { uuidFrom } from '../text/digest.ts';
import { nothingToDelegate } from '../text/texts.ts';
import { quotedName, spoken } from '../text/visible.ts';
import type { AskedKind, CallKind, SentKind } from './kind.ts';
import { agentsOf, agentTool, messageOfDelegation, remoteAgentOf } from './remote-agent.ts';

const asked: AskedKind = {
  approvalKind: wire.ApprovalKind.DELEGATION,
  describe: ({ target, argumentsJson }) =>
    `**DELEGATE to A2A Agent: ${quotedName(target)}**\n\nMessage: ${spoken(messageOfDelegation(argumentsJson) ?? argumentsJson)}`,
};

const sent: SentKind = {
  // The ids of an attempt are those of no other, and the same when decided again.
  started: (runId, { id: callId, stepId, target, approvalId = '' }, attempt) => {
    const idOf = (what: string): string => uuidFrom(what, runId, callId, String(attempt));
    const ids = { messageId: idOf('message'), contextId: idOf('context') };
    return fact('delegationStarted', { runId, stepId, callId, attempt, agent: remoteOf(target), ...ids, approvalId });
  },
  whose: (agent) => `${agent} agent`,
  forwardsBearer: (call, { agent }) => remoteAgentOf(agent, call)?.forwardsBearer === true,
};

/** A delegation goes from the orchestrator to the agent itself. */
export const remoteKind = {
  noun: 'the agent',
  offers: ({ node }) => agentsOf(node).map(agentTool),
  problemOf: (argumentsJson) =>
    messageOfDelegation(argumentsJson) === undefined ? { text: nothingToDelegate } : undefined,
  asked,
  sent,
} as const satisfies CallKind;
