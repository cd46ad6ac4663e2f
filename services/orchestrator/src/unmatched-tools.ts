import { type AgentDefinition, type AgentNode, childrenOf, type LlmNode, takesTool } from '@stopgo/core';
import type { Catalogue } from './tool-port.ts';

/** A pattern of a node's `tools` that no tool matches. */
export type Unmatched = { readonly node: string; readonly pattern: string };

/**
 * Finds patterns of nodes that match no tool there is, most often for a slip in a name: the node's model would lack a tool without a word.
 * Each is told once, as soon as all servers that the node may use have listed their tools: before that the tool may be about to come.
 */
export class UnmatchedTools {
  readonly #agent: AgentDefinition;
  readonly #tell: (unmatched: Unmatched) => void;
  readonly #told = new Set<string>();
  #seen: Catalogue | undefined;

  constructor(agent: AgentDefinition, tell: (unmatched: Unmatched) => void) {
    this.#agent = agent;
    this.#tell = tell;
  }

  /** Looks at the tools as they are now. Says nothing while there are none: then it is the servers that are missing. */
  look(catalogue: Catalogue | undefined): void {
    if (catalogue === undefined || catalogue === this.#seen || catalogue.tools.size === 0) return;
    this.#seen = catalogue;
    this.#visit(this.#agent.root, catalogue);
  }

  #visit(node: AgentNode, catalogue: Catalogue): void {
    for (const child of childrenOf(node)) this.#visit(child, catalogue);
    if (node.type !== 'llm' || awaitsTools(node, catalogue)) return;
    for (const pattern of node.tools ?? []) {
      const key = JSON.stringify([node.name, pattern]);
      const only = { ...node, tools: [pattern.replace(/^!/, '')] };
      if (this.#told.has(key) || [...catalogue.tools.values()].some((tool) => takesTool(only, tool))) continue;
      this.#told.add(key);
      this.#tell({ node: node.name, pattern });
    }
  }
}

/** Whether tools may come that the node takes. */
function awaitsTools({ toolServers }: LlmNode, { unlisted = new Set() }: Catalogue): boolean {
  return [...unlisted].some((server) => toolServers?.includes(server) ?? true);
}
