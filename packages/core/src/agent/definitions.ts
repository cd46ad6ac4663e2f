import { internalError } from '../text/errors.ts';
import type { AgentDefinition, Toolset } from './definition.ts';

/** Recorded definitions, by digest: at least those that a run names (see {@link digestsOf}). */
export type Definitions = {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly toolsets: ReadonlyMap<string, Toolset>;
};

/** What a step follows. */
export type StepDefinition = {
  readonly agent: AgentDefinition;
  /** The tools of servers that its agent knows. */
  readonly tools: Toolset;
};

/** Digests of what a step follows. */
export type Digests = { readonly agentDigest: string; readonly toolsetDigest: string };

/** What a run that begins is to follow. */
export type RunDefinition = Digests & {
  /** At least what the digests name. */
  readonly definitions: Definitions;
};

/** A run, as far as it names definitions. */
export type DefinedRun = Digests & { readonly id: string };

/** The definitions that a step follows: those that its run was started with. */
export function digestsOf({ agentDigest, toolsetDigest }: DefinedRun, _stepId: string): Digests {
  return { agentDigest, toolsetDigest };
}

/**
 * What a step follows.
 *
 * @throws DomainError `internal` if that is not among the definitions. Whoever drives a run loads what it names before he asks what it
 *   owes: that nothing is owed, for want of a definition, would release the run as if it waited for people.
 */
export function definitionOf(definitions: Definitions, run: DefinedRun, stepId: string): StepDefinition {
  const { agentDigest, toolsetDigest } = digestsOf(run, stepId);
  const agent = definitions.agents.get(agentDigest);
  const tools = definitions.toolsets.get(toolsetDigest);
  const missing = agent === undefined ? `the agent ${agentDigest}` : `the set of tools ${toolsetDigest}`;
  if (agent === undefined || tools === undefined)
    throw internalError(`${missing}, which step ${stepId} of run ${run.id} follows, was not loaded`);
  return { agent, tools };
}

/** An agent and its tools under their digests. */
export function definedAs({ agentDigest, toolsetDigest }: Digests, { agent, tools }: StepDefinition): Definitions {
  return { agents: new Map([[agentDigest, agent]]), toolsets: new Map([[toolsetDigest, tools]]) };
}
