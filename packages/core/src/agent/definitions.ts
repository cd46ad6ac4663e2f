import type { Policy } from '../policy/policy.ts';
import { internalError } from '../text/errors.ts';
import type { CallingAgent } from './calling.ts';
import type { AgentDefinition, Toolset } from './definition.ts';
import { callAbove } from './step-id.ts';

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
  /** Absent: it is none of the agents that call each other. */
  readonly calling?: CallingAgent;
};

/** A run, as far as it names definitions. */
export type DefinedRun = Digests & {
  readonly id: string;
  /** Those of its calls that agents of this platform work on name what these follow; absent: there are none. */
  readonly calls?: Readonly<Record<string, { readonly called?: Digests }>>;
};

/**
 * The definitions that a step follows: those that its run was started with, or that the agent was called with in whose tree it is.
 *
 * @throws DomainError `internal` for a step of an agent that was not called.
 */
export function digestsOf(run: DefinedRun, stepId: string): Digests {
  const caller = callAbove(stepId);
  const named = caller === undefined ? run : run.calls?.[caller]?.called;
  if (named === undefined)
    throw internalError(`nobody was called at ${caller}, in whose tree step ${stepId} of run ${run.id} is`);
  return only(named);
}

/** All that a run names now: of itself, and of the agents that work on its calls. */
export function digestsIn(run: DefinedRun): readonly Digests[] {
  const called = Object.values(run.calls ?? {}).flatMap((call) =>
    call.called === undefined ? [] : [only(call.called)],
  );
  return [only(run), ...called];
}

function only({ agentDigest, toolsetDigest, policyDigest }: Digests): Digests {
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

/** All definitions of some, each once. */
export function allDefinitions(some: Iterable<Definitions>): Definitions {
  const agents = new Map<string, AgentDefinition>();
  const toolsets = new Map<string, Toolset>();
  const policies = new Map<string, Policy>();
  for (const one of some) {
    for (const [digest, agent] of one.agents) agents.set(digest, agent);
    for (const [digest, tools] of one.toolsets) toolsets.set(digest, tools);
    for (const [digest, policy] of one.policies ?? []) policies.set(digest, policy);
  }
  return { agents, toolsets, ...(policies.size === 0 ? {} : { policies }) };
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
