import type { z } from 'zod';
import { agentNode } from './normalise.ts';
import { isMapping } from './plain-data.ts';
import { type Problem, problemAt } from './problem.ts';
import { treeProblems } from './rules.ts';
import { type NodeShape, nodeSchema } from './schema.ts';
import { mapping } from './shapes.ts';
import { treeWarnings } from './tree-warnings.ts';
import type { AgentNodeConfig } from './types.ts';
import { issueProblems } from './unknown-keys.ts';

/** What stands around a tree, and holds for nodes that say nothing else. */
export type AroundTree = {
  readonly name: string;
  readonly model: string;
  readonly prompt: string;
  readonly approvalRequired: boolean;
  readonly onReject: 'cancel' | 'continue';
  /** Names of the tool servers that nodes may name. */
  readonly servers: readonly string[];
  /** What of a prompt may hold placeholders. */
  readonly withoutVariables: (prompt: string) => string;
};

/** A tree, if it has no problems. */
export type TreeReading = {
  readonly tree?: AgentNodeConfig;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
};

const around = mapping({ agent: nodeSchema });

/** Reads the tree of the key `agent` of a file that is no configuration. */
export function readTree(value: unknown, file: AroundTree): TreeReading {
  const written = { agent: value };
  const parsed = around.safeParse(written);
  const problems = parsed.success
    ? []
    : parsed.error.issues.flatMap((issue: z.core.$ZodIssue) => issueProblems(around, issue, written));
  if (isMapping(value)) problems.push(...treeProblems(value, ['agent'], file.servers));
  if (!parsed.success || problems.length > 0) return { problems, warnings: [] };
  const { agent } = parsed.data;
  const elsewhere = agentsElsewhere(agent, ['agent']);
  if (elsewhere.length > 0) return { problems: elsewhere, warnings: [] };
  const bare = { agent: bareNode(agent, file), prompt: file.withoutVariables(file.prompt) };
  const { approvalRequired, onReject } = file;
  const usual = { prompt: file.prompt, llm: { model: file.model } };
  return {
    tree: agentNode(agent, usual, file.name, { approvalRequired, onReject }),
    problems: [],
    warnings: treeWarnings(bare),
  };
}

/** A file that others can write must not say where messages and tokens go. */
function agentsElsewhere(node: NodeShape, path: readonly (string | number)[]): Problem[] {
  const why = 'agents elsewhere are a part of the configuration of the platform; a file names them in allowedAgents';
  const own = node.type === 'a2a' ? [problemAt([...path, 'type'], why)] : [];
  const listed = node.a2a.length > 0 ? [problemAt([...path, 'a2a'], why)] : [];
  const below = (node.agents ?? []).flatMap((child, index) => agentsElsewhere(child, [...path, 'agents', index]));
  return [...own, ...listed, ...below];
}

function bareNode(node: NodeShape, file: AroundTree): NodeShape {
  const { prompt, agents } = node;
  return {
    ...node,
    ...(prompt === undefined ? {} : { prompt: file.withoutVariables(prompt) }),
    ...(agents === undefined ? {} : { agents: agents.map((child) => bareNode(child, file)) }),
  };
}
