import { agentTool, DomainError } from '@stopgo/core';
import type { OutgoingContext } from '@stopgo/rpc';
import { listAgentsMs } from './bounds.ts';
import type { GatewayOptions } from './options.ts';

/** Another agent, as the tool that models know it by. */
export type DelegationTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchemaJson: string;
  readonly destructive: boolean;
};

/**
 * The agents that are delegated to, as models are told of them: orchestrators know what agents say of themselves. While none answers
 * they are as the configuration has them.
 */
export async function delegationTools(
  { clients, remoteAgents }: Pick<GatewayOptions, 'clients' | 'remoteAgents'>,
  context: OutgoingContext,
): Promise<readonly DelegationTool[]> {
  if (remoteAgents.length === 0) return [];
  try {
    return (await clients.orchestrator.listAgents({}, { context, timeoutMs: listAgentsMs })).agents;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return remoteAgents.map((agent) => ({ ...agentTool(agent), destructive: agent.destructive }));
  }
}
