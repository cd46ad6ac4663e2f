import { type CallTarget, serverOf } from '../events/target.ts';
import type { Hints } from '../policy/hints.ts';
import { type Defined, defined } from '../text/defined.ts';
import type { Json } from '../text/json.ts';
import type { PlatformAgent } from './platform-agent.ts';
import { parsePlace } from './step-id.ts';

/** An agent: a name and a tree of nodes. Plain JSON, so that it can be recorded whole. */
export type AgentDefinition = {
  readonly name: string;
  readonly root: AgentNode;
  /** What else is known of an agent from git; absent for one of a configuration. */
  readonly platform?: PlatformAgent;
};

export type AgentNode = LlmNode | A2aNode | SequentialNode | ParallelNode | LoopNode;
/** The nodes that make calls. The others have children. */
export type ToolNode = LlmNode | A2aNode;

export type LlmNode = {
  readonly type: 'llm';
  readonly name: string;
  readonly model: string;
  /** Models that are asked in this order where the one before could not answer; absent: none. */
  readonly fallbacks?: readonly string[];
  readonly prompt: string;
  /** Session-state key that the node's output is written to; empty = none. */
  readonly outputKey: string;
  /** Offers the tool `exit_loop`. */
  readonly canExitLoop: boolean;
  /** Model calls before the node is ended. */
  readonly turnsMax: number;
  /** `require`: destructive calls wait for a human even inside `parallel` and `loop`. */
  readonly approval: 'default' | 'require';
  /** What happens when a human rejects all that an answer asked for: the run ends (also if absent), or the model is told. */
  readonly onReject?: 'cancel' | 'continue';
  /** Agents that it may delegate to, by different names; absent = none. */
  readonly agents?: readonly RemoteAgent[];
  /** Names of the tool servers whose tools it is offered; absent = of all. */
  readonly toolServers?: readonly string[];
  /**
   * Patterns of the tools that it is offered: of their names (see `matchesGlob`), or `server/name`; with `!` before it, of those that it is
   * not. Absent = of all.
   */
  readonly tools?: readonly string[];
};

/** Another agent. */
export type RemoteAgent = {
  readonly name: string;
  readonly url: string;
  /** What it is good for, told to the models that may delegate to it. */
  readonly description: string;
  /** Delegating to it waits for an approval. */
  readonly destructive: boolean;
  /** Delegations carry the caller's bearer token: to the origin of `url`, … */
  readonly forwardsBearer: boolean;
  /** … and to these; absent: to no other. */
  readonly tokenOrigins?: readonly string[];
};

/** A node that stands for another agent: it sends one message, and comes to what the agent answers. */
export type A2aNode = {
  readonly type: 'a2a';
  readonly name: string;
  readonly agent: RemoteAgent;
  /** The message to send; empty = what the user said. */
  readonly prompt: string;
  /** Session-state key that the answer is written to; absent = none. */
  readonly outputKey?: string;
  /** As of an llm node. */
  readonly approval: 'default' | 'require';
  /** What happens when a human rejects the delegation: the run ends (also if absent), or the tree goes on. */
  readonly onReject?: 'cancel' | 'continue';
};

/** What is common to the nodes that have children. */
type ParentNode = {
  readonly name: string;
  readonly children: readonly AgentNode[];
  /** Session-state key that the node's output is written to; absent = none. */
  readonly outputKey?: string;
};

export type SequentialNode = ParentNode & { readonly type: 'sequential' };

export type ParallelNode = ParentNode & {
  readonly type: 'parallel';
  /** What a failed branch does to the node, once the other branches have settled. */
  readonly onError: 'fail' | 'continue';
};

export type LoopNode = ParentNode & { readonly type: 'loop'; readonly iterationsMax: number };

/** True for an agent whose run is shown by its nodes: one that is a tree of them, or may call others. */
export function isPipeline(agent: AgentDefinition): boolean {
  return agent.root.type !== 'llm' || agent.platform !== undefined;
}

/** The children of a node; none of one that makes calls. */
export function childrenOf(node: AgentNode): readonly AgentNode[] {
  return 'children' in node ? node.children : [];
}

/** A tool as it is offered to a model. */
export type OfferedTool = {
  /** Whom calls of it go to. */
  readonly target: CallTarget;
  readonly name: string;
  readonly description: string;
  readonly inputSchemaJson: string;
  readonly pin: string;
  readonly hints: Hints;
  /** The tool's server wants each call approved. */
  readonly approvalRequired: boolean;
  /** Calls carry the caller's bearer token. */
  readonly forwardsBearer: boolean;
  /** What its server says of how its tools are used; absent: nothing. */
  readonly instructions?: ServerInstructions;
};

/** What a tool server says of how its tools are used, in its own words, and the digest of what was accepted of that. */
export type ServerInstructions = { readonly text: string; readonly pin: string };

/** Name under which what a server says of its tools is accepted, as if it were one of them. */
export const instructionsName = '@instructions';

/** The tools of servers that a run knows, or all that a node is offered, by name. */
export type Toolset = ReadonlyMap<string, OfferedTool>;

/** The recorded form of an agent. */
export function defineAgent(agent: AgentDefinition): Defined {
  return defined(agent as unknown as Json);
}

/**
 * What a set of tools says of one: everything but what its own definition holds, which stands under its pin. So does what its server
 * says of all its tools: the first tool of a server names its pin, beside what releases read that know of no such thing.
 */
type OfferedEntry = Omit<OfferedTool, 'target' | 'description' | 'inputSchemaJson' | 'instructions'> & {
  readonly server: string;
  readonly instructions?: string;
};

/** An entry of recordings from before the first tool of a server named its pin. */
type InstructionsEntry = { readonly instructionsOf: string; readonly pin: string };

/** The recorded form of a set of tools: what was offered, by pin. Small, however large the definitions are. */
export function defineToolset(tools: Toolset): Defined {
  const told = new Set<string>();
  const entries = [...tools.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ target, name, pin, hints, approvalRequired, forwardsBearer, instructions }): OfferedEntry => {
      const server = serverOf(target);
      const entry = { server, name, pin, hints, approvalRequired, forwardsBearer };
      if (instructions === undefined || told.has(server)) return entry;
      told.add(server);
      return { ...entry, instructions: instructions.pin };
    });
  return defined(entries as unknown as Json);
}

/** An agent from its recorded form. */
export function agentFromDefinition(definitionJson: string): AgentDefinition {
  return JSON.parse(definitionJson) as AgentDefinition;
}

/** The pins that a recorded set of tools names. */
export function pinsOfToolset(definitionJson: string): readonly string[] {
  return entriesOf(definitionJson).flatMap(({ pin, instructions }) =>
    instructions === undefined ? [pin] : [pin, instructions],
  );
}

/** A set of tools from its recorded form and that of each tool, by pin. */
export function toolsetFromDefinition(definitionJson: string, tools: ReadonlyMap<string, string>): Toolset {
  const entries = entriesOf(definitionJson);
  const said = new Map(
    entries.flatMap(({ server, instructions: pin }) => {
      if (pin === undefined) return [];
      const { instructions } = JSON.parse(tools.get(pin) ?? '{}') as { instructions?: unknown };
      return [[server, { text: typeof instructions === 'string' ? instructions : '', pin }] as const];
    }),
  );
  return new Map(
    entries.map(({ server, instructions: _pin, ...entry }) => {
      const tool = JSON.parse(tools.get(entry.pin) ?? '{}') as { description?: unknown; inputSchema?: unknown };
      const description = typeof tool.description === 'string' ? tool.description : '';
      const inputSchemaJson = JSON.stringify(tool.inputSchema ?? { type: 'object' });
      const target = { kind: 'tool', server } as const;
      const instructions = said.get(server);
      return [entry.name, { ...entry, target, description, inputSchemaJson, ...(instructions && { instructions }) }];
    }),
  );
}

/** Older recordings tell what a server says in an entry of its own, which is put beside each of the server's tools here. */
function entriesOf(definitionJson: string): readonly OfferedEntry[] {
  const all = JSON.parse(definitionJson) as readonly (OfferedEntry | InstructionsEntry)[];
  const said = new Map(all.flatMap((entry) => ('instructionsOf' in entry ? [[entry.instructionsOf, entry.pin]] : [])));
  if (said.size === 0) return all as readonly OfferedEntry[];
  const entries = all.filter((entry) => !('instructionsOf' in entry)) as readonly OfferedEntry[];
  return entries.map((entry) => {
    const instructions = said.get(entry.server);
    return instructions === undefined ? entry : { ...entry, instructions };
  });
}

/** A node, and what its place in the tree says of it. */
export type PlacedNode = {
  readonly node: AgentNode;
  /** Some node above it runs its children side by side or again and again. */
  readonly insideParallelOrLoop: boolean;
};

/** The node of an agent's tree that a step of it executes; undefined if there is none at that place. */
export function nodeAt(agent: AgentDefinition, stepId: string): PlacedNode | undefined {
  const place = parsePlace(stepId);
  if (place === undefined) return undefined;
  let node: AgentNode = agent.root;
  let inside = false;
  for (const { index } of place.path) {
    inside ||= node.type === 'parallel' || node.type === 'loop';
    const child: AgentNode | undefined = childrenOf(node)[index];
    if (child === undefined) return undefined;
    node = child;
  }
  return { node, insideParallelOrLoop: inside };
}
