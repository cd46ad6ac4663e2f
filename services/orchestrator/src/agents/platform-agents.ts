import {
  type AgentDefinition,
  type AgentSource,
  agentsInPrompt,
  type CallableAgent,
  type CallingLimits,
  definedAs,
  matchesAny,
  type Policy,
  type RunDefinition,
} from '@stopgo/core';
import type { RecordedDefinitions } from '../definitions.ts';
import type { ToolPort } from '../tool-port.ts';
import type { CallableAgents, CalledDefinition } from './callable.ts';
import type { AgentCatalogue, CatalogueAgent } from './catalogue.ts';

/** What a name means now: an agent whose definition is on the record, and where it comes from. */
export type ResolvedAgent = {
  /** Its canonical name. */
  readonly name: string;
  readonly digest: string;
  readonly source: AgentSource;
};

/** An agent whose name matches what another one may call. */
export type ListedAgent = Omit<ResolvedAgent, 'source'> & { readonly description: string };

/** Looks up agents that repositories hold. Rejects with `unavailable` while that cannot be done, and when the signal aborts. */
export type AgentLookup = {
  /**
   * Undefined if there is none of that name. `revision`: a commit, branch or tag of its repository; empty: as it is now. Rejects with
   * `not_found` (reason=no_agent) where the agent is not there at the revision.
   */
  resolve(name: string, revision: string, signal: AbortSignal): Promise<ResolvedAgent | undefined>;
  /** Those whose names match one of the patterns, in the order of their names; at most so many. */
  matching(patterns: readonly string[], most: number, signal: AbortSignal): Promise<readonly ListedAgent[]>;
};

export type PlatformAgentsParts = {
  readonly lookup: AgentLookup;
  /** What holds for agents that call each other, as the configuration says. */
  readonly limits: CallingLimits;
  /** What their calls are judged by beside the defaults; absent: by nothing else. */
  readonly policy?: Policy;
  readonly tools: Pick<ToolPort, 'catalogue'>;
  readonly definitions: RecordedDefinitions;
  /** The name of the configured agent, by which none of these is found. */
  readonly reservedName?: string;
  /** Is told of a name or pattern of agents that one may call, where there is none such; whenever it is looked up. */
  readonly onUnknown?: (agent: string, allowed: string) => void;
};

/** Agents that a prompt names, at most. */
const toldMax = 200;

/** Agents from repositories: as they are now for runs, and for calls, that begin now. */
export class PlatformAgents implements CallableAgents {
  readonly #parts: PlatformAgentsParts;

  constructor(parts: PlatformAgentsParts) {
    this.#parts = parts;
  }

  async forCall(name: string, signal: AbortSignal): Promise<CalledDefinition | undefined> {
    const found = await this.#parts.lookup.resolve(name, '', signal);
    if (found === undefined || found.name === this.#parts.reservedName) return undefined;
    const agent = await this.#parts.definitions.agent(found.digest);
    const { calling, ...defined } = await this.#defined(found, agent, signal);
    return {
      ...defined,
      name: found.name,
      contextScope: agent.platform?.contextScope ?? 'FULL',
      memoryKeys: agent.platform?.context?.memories ?? [],
      stateKeys: agent.platform?.context?.state ?? [],
      source: found.source,
      ...(calling?.agentsTold === undefined ? {} : { agentsTold: calling.agentsTold }),
    };
  }

  /** The agent as conversations are opened for it; undefined if there is none of that name. `revision` as of {@link AgentLookup.resolve}. */
  async find(name: string, revision: string, signal: AbortSignal): Promise<CatalogueAgent | undefined> {
    const found = await this.#parts.lookup.resolve(name, revision, signal);
    if (found === undefined) return undefined;
    const definition = await this.#parts.definitions.agent(found.digest);
    return {
      name: found.name,
      ...(found.source.pinned && { pinned: true }),
      systemPrompt: '',
      definition,
      forRun: (until) => this.#defined(found, definition, until),
    };
  }

  async #defined({ source }: ResolvedAgent, agent: AgentDefinition, signal: AbortSignal): Promise<RunDefinition> {
    const { definitions, tools, policy, limits } = this.#parts;
    const catalogue = tools.catalogue();
    const [digests, agentsTold] = await Promise.all([
      definitions.record(agent, catalogue, policy, signal),
      this.#told(agent, signal),
    ]);
    const defined = { agent, tools: catalogue.tools, ...(policy && { policy }) };
    const calling = { limits, source, ...(agentsTold === '' ? {} : { agentsTold }) };
    return { ...digests, definitions: definedAs(digests, defined), calling };
  }

  /** What stands for `{{allowed_agents}}` in its prompt. A name that means nothing is left out: the call of it says so. */
  async #told({ name, platform }: AgentDefinition, signal: AbortSignal): Promise<string> {
    const allowed = platform?.allowedAgents ?? [];
    if (allowed.length === 0) return '';
    const { lookup, definitions, onUnknown } = this.#parts;
    const listed = await lookup.matching(allowed, toldMax, signal);
    for (const one of allowed) if (!listed.some((found) => matchesAny([one], found.name))) onUnknown?.(name, one);
    const told: CallableAgent[] = [];
    for (const { name: agent, digest, description } of listed) {
      const { platform: itself } = await definitions.agent(digest);
      told.push({ name: agent, description, examples: itself?.examples ?? [], isExternal: false });
    }
    return agentsInPrompt(told);
  }
}

/** The configured agent first, then those of repositories. */
export class AllAgents implements AgentCatalogue {
  readonly others = 'those of repositories, which GET /agents lists';
  readonly #configured: AgentCatalogue;
  readonly #platform: PlatformAgents;
  readonly #signal: AbortSignal;

  /** The signal aborts when the process is to end. */
  constructor(configured: AgentCatalogue, platform: PlatformAgents, signal: AbortSignal) {
    this.#configured = configured;
    this.#platform = platform;
    this.#signal = signal;
  }

  default(): Promise<CatalogueAgent> {
    return this.#configured.default();
  }

  async find(name: string, revision = ''): Promise<CatalogueAgent | undefined> {
    return (await this.#configured.find(name, revision)) ?? (await this.#platform.find(name, revision, this.#signal));
  }

  async only(): Promise<undefined> {
    return undefined;
  }

  /** Of those that repositories hold only that there are such is said: there may be thousands. */
  async list(): Promise<readonly string[]> {
    return this.#configured.list();
  }
}
