import { agentTool, remoteAgentsOf } from '@stopgo/core';
import type { CatalogueAgent } from './catalogue.ts';

/** Other agents as models are told of them in runs that start now. */
export function agentsOffered({ definition }: CatalogueAgent) {
  return remoteAgentsOf(definition).map((one) => {
    const { name, description, inputSchemaJson, hints } = agentTool(one);
    return { name, description, inputSchemaJson, destructive: hints.destructive };
  });
}
