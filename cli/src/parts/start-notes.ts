import { type AgentNode, childrenOf } from '@stopgo/core';
import type { AgentConfig, AgentNodeConfig, Logger, RemoteAgentConfig } from '@stopgo/runtime';
import { mayCarryToken } from '@stopgo/security';
import { agentDefinition } from './agent-definition.ts';

/** Names that one line lists. */
const namedMax = 10;

/**
 * Says at the start what follows from the configuration and may surprise: tokens in clear text, tokens that are withheld although an
 * origin is listed for them, calls that nobody is asked about.
 */
export function sayWhatFollows(config: AgentConfig, logger: Pick<Logger, 'info' | 'warn'>): void {
  for (const host of config.allowHttpTokensTo)
    logger.warn(
      `tokens of callers may go to ${host} over plain http, where everybody on the way can read them (allow_http_tokens_to)`,
    );
  for (const { name, url, tokenOrigins = [] } of configuredAgents(config)) {
    const withheld = tokenOrigins.filter((origin) => !mayCarryToken(origin, config.allowHttpTokensTo));
    if (tokenOrigins.length > 0 && !mayCarryToken(url, config.allowHttpTokensTo))
      logger.warn(
        `agent "${name}" is shown no token, whatever its token_origins say: its url is plain http to another machine; use https, or name its host in allow_http_tokens_to`,
      );
    else
      for (const origin of withheld)
        logger.warn(
          `agent "${name}" is shown no token at ${origin}, although its token_origins list it: it is plain http to another machine; use https, or name its host in allow_http_tokens_to`,
        );
  }
  const nodes = unaskedNodes(agentDefinition(config).root, false);
  if (nodes.length > 0)
    logger.info(
      `destructive calls inside parallel and loop run without asking, in ${briefly(nodes)}; set approval: require on the node or the tool server to be asked`,
    );
}

/** The agents that the file names, at its top level and in its nodes. */
function configuredAgents({ a2a, agent }: AgentConfig): readonly RemoteAgentConfig[] {
  const agentsOf = (node: AgentNodeConfig): readonly RemoteAgentConfig[] => {
    if (node.type === 'a2a') return [node];
    return node.type === 'llm' ? node.a2a : node.agents.flatMap(agentsOf);
  };
  // An agent without a tree has those of the top level.
  const all = [...a2a, ...agentsOf(agent)];
  return [...new Map(all.map((one) => [JSON.stringify([one.name, one.url, one.tokenOrigins]), one])).values()];
}

/** The nodes inside `parallel` and `loop` whose destructive calls policy lets run at once. */
function unaskedNodes(node: AgentNode, isInside: boolean): readonly string[] {
  if (node.type === 'llm' || node.type === 'a2a') return isInside && node.approval !== 'require' ? [node.name] : [];
  const inside = isInside || node.type === 'parallel' || node.type === 'loop';
  return childrenOf(node).flatMap((child) => unaskedNodes(child, inside));
}

function briefly(names: readonly string[]): string {
  const shown = names.slice(0, namedMax).join(', ');
  return names.length > namedMax ? `${shown} and ${names.length - namedMax} more` : shown;
}
