import type { Policy } from '../policy/policy.ts';
import { internalError } from '../text/errors.ts';
import type { AgentDefinition, Toolset } from './definition.ts';

/** Recorded definitions, by digest: at least those that a run names (see {@link digestsOf}). */
export type Definitions = {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly toolsets: ReadonlyMap<string, Toolset>;
  /** Absent: there are none. */
  readonly policies?: ReadonlyMap<string, Policy>;
};

/** What a step follows. */
export type StepDefinition = {
  readonly agent: AgentDefinition;
  /** The tools of servers that its agent knows. */
  readonly tools: Toolset;
  /** What its calls are judged by beside the defaults; absent: by nothing else. */
  readonly policy?: Policy;
};

/** Digests of what a step follows. */
export type Digests = {
  readonly agentDigest: string;
  readonly toolsetDigest: string;
  /** Absent: there is no policy, and the defaults alone hold. */
  readonly policyDigest?: string;
};

/** What a run that begins is to follow. */
export type RunDefinition = Digests & {
  /** At least what the digests name. */
  readonly definitions: Definitions;
};

/** A run, as far as it names definitions. */
export type DefinedRun = Digests & { readonly id: string };

/** The definitions that a step follows: those that its run was started with. */
export function digestsOf({ agentDigest, toolsetDigest, policyDigest }: DefinedRun, _stepId: string): Digests {
  return { agentDigest, toolsetDigest, ...(policyDigest === undefined ? {} : { policyDigest }) };
}

/**
 * What a step follows.
 *
 * @throws DomainError `internal` if that is not among the definitions. Whoever drives a run loads what it names before he asks what it
 *   owes: that nothing is owed, for want of a definition, would release the run as if it waited for people.
 */
export function definitionOf(definitions: Definitions, run: DefinedRun, stepId: string): StepDefinition {
  const { agentDigest, toolsetDigest, policyDigest } = digestsOf(run, stepId);
  const missing = (what: string): Error =>
    internalError(`${what}, which step ${stepId} of run ${run.id} follows, was not loaded`);
  const agent = definitions.agents.get(agentDigest);
  if (agent === undefined) throw missing(`the agent ${agentDigest}`);
  const tools = definitions.toolsets.get(toolsetDigest);
  if (tools === undefined) throw missing(`the set of tools ${toolsetDigest}`);
  if (policyDigest === undefined) return { agent, tools };
  const policy = definitions.policies?.get(policyDigest);
  if (policy === undefined) throw missing(`the policy ${policyDigest}`);
  return { agent, tools, policy };
}

/** An agent, its tools and its policy under their digests. */
export function definedAs(
  { agentDigest, toolsetDigest, policyDigest }: Digests,
  { agent, tools, policy }: StepDefinition,
): Definitions {
  return {
    agents: new Map([[agentDigest, agent]]),
    toolsets: new Map([[toolsetDigest, tools]]),
    ...(policyDigest === undefined || policy === undefined ? {} : { policies: new Map([[policyDigest, policy]]) }),
  };
}
