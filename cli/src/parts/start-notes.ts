import { type AgentNode, childrenOf } from '@stopgo/core';
import type { AgentConfig, Logger } from '@stopgo/runtime';
import { agentDefinition } from './agent-definition.ts';

/** Names that one line lists. */
const namedMax = 10;

/** Says at the start what follows from the configuration and may surprise: tokens in clear text, calls that nobody is asked about. */
export function sayWhatFollows(config: AgentConfig, logger: Pick<Logger, 'info' | 'warn'>): void {
  for (const host of config.allowHttpTokensTo)
    logger.warn(
      `tokens of callers may go to ${host} over plain http, where everybody on the way can read them (allow_http_tokens_to)`,
    );
  const nodes = unaskedNodes(agentDefinition(config).root, false);
  if (nodes.length > 0)
    logger.info(
      `destructive calls inside parallel and loop run without asking, in ${briefly(nodes)}; set approval: require on the node or the tool server to be asked`,
    );
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
