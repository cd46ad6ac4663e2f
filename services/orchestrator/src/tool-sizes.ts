import {
  type AgentDefinition,
  type AgentNode,
  byteLength,
  type CallTarget,
  childrenOf,
  type LlmNode,
  nameOfTarget,
  offeredTo,
  quotedName,
  type Toolset,
} from '@stopgo/core';
import { toolBytesToldMin } from './bounds.ts';
import type { Catalogue } from './tool-port.ts';

/** Nodes that one line names. */
const namedMax = 5;
/** What is told again must have grown by so much. */
const growth = 1.1;

/** What the tools of one server, of all other agents, or of the platform add to each request to a model. */
type Share = { readonly from: string; readonly tools: number; readonly bytes: number };

/** Tells, where every request to a model carries a lot of tool definitions, how much it is, from where, and how to cut it. */
export class ToolSizes {
  readonly #groups: readonly (readonly LlmNode[])[];
  readonly #tell: (line: string) => void;
  readonly #told = new Map<readonly LlmNode[], number>();
  #seen: Toolset | undefined;

  constructor(agent: AgentDefinition, tell: (line: string) => void) {
    this.#groups = alikeNodes(agent.root);
    this.#tell = tell;
  }

  /** Looks at the tools as they are now; what was told is told again only once it has grown. */
  look(catalogue: Catalogue | undefined): void {
    if (catalogue === undefined || catalogue.tools === this.#seen) return;
    this.#seen = catalogue.tools;
    for (const nodes of this.#groups) {
      const [node] = nodes;
      if (node === undefined) continue;
      const shares = sharesOf(offeredTo({ node }, catalogue.tools));
      const bytes = sum(shares, (share) => share.bytes);
      if (bytes <= toolBytesToldMin) this.#told.delete(nodes);
      else if (bytes > (this.#told.get(nodes) ?? 0) * growth) {
        this.#told.set(nodes, bytes);
        this.#tell(lineOf(nodes, shares));
      }
    }
  }
}

function lineOf(nodes: readonly LlmNode[], shares: readonly Share[]): string {
  const names = nodes.slice(0, namedMax).map(({ name }) => quotedName(name));
  const more = nodes.length > namedMax ? ` and ${nodes.length - namedMax} more` : '';
  const total = kilobytes(sum(shares, ({ bytes }) => bytes));
  const from = shares.map(({ from: source, tools, bytes }) => `${source} ${kilobytes(bytes)} (${tools})`);
  return (
    `each request to the model of ${names.join(', ')}${more} carries ${total} of tool definitions, ${sum(shares, ({ tools }) => tools)} tools: ` +
    `${from.join(', ')}; cut it with tools.allow or tools.deny of a tool server, or with mcp_servers or tools of the node`
  );
}

/** The largest first. */
function sharesOf(offered: Toolset): readonly Share[] {
  const shares = new Map<string, Share>();
  for (const { target, name, description, inputSchemaJson } of offered.values()) {
    const from = sourceOf(target);
    const { tools, bytes } = shares.get(from) ?? { tools: 0, bytes: 0 };
    const own = byteLength(name) + byteLength(description) + byteLength(inputSchemaJson);
    shares.set(from, { from, tools: tools + 1, bytes: bytes + own });
  }
  return [...shares.values()].sort((a, b) => b.bytes - a.bytes);
}

const sources = {
  tool: quotedName,
  remote: () => 'other agents',
  agent: () => 'agents of this platform',
  memory: () => 'the platform itself',
  people: () => 'the platform itself',
  data: () => 'the platform itself',
  control: () => 'the platform itself',
} as const satisfies Record<CallTarget['kind'], (server: string) => string>;

function sourceOf(target: CallTarget): string {
  return sources[target.kind](nameOfTarget(target));
}

/** The llm nodes of a tree, those together that are offered the same. */
function alikeNodes(root: AgentNode): readonly (readonly LlmNode[])[] {
  const groups = new Map<string, LlmNode[]>();
  const add = (node: AgentNode): void => {
    for (const child of childrenOf(node)) add(child);
    if (node.type !== 'llm') return;
    const { toolServers, tools, agents, canExitLoop } = node;
    const key = JSON.stringify([toolServers, tools, agents, canExitLoop]);
    groups.set(key, [...(groups.get(key) ?? []), node]);
  };
  add(root);
  return [...groups.values()];
}

function kilobytes(bytes: number): string {
  return `${Math.max(1, Math.round(bytes / 1_000))} KB`;
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
