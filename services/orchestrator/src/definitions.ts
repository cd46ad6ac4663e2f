import {
  type AgentDefinition,
  agentStream,
  type Defined,
  type Digests,
  defineAgent,
  definePolicy,
  defineToolset,
  type Fact,
  fact,
  type Policy,
  policyStream,
  type StreamName,
  type Toolset,
  toolStream,
  toolsetStream,
} from '@stopgo/core';
import { type DefinitionPorts, type DefinitionSource, definitionsIn, recordDefinition } from '@stopgo/log';
import type { Catalogue } from './tool-port.ts';

/** Definitions kept in memory, by digest. */
const keptMax = 64;

/**
 * Agents, tool sets and policies as they are on the record: each stands once, in a stream named by its digest, so that a run goes
 * on with the definition it started with whatever the configuration says by then.
 */
export class RecordedDefinitions implements DefinitionSource {
  readonly #ports: DefinitionPorts;
  readonly #source: DefinitionSource;
  readonly #recorded = new Map<string, Promise<void>>();
  readonly #agents = new Map<string, AgentDefinition>();
  readonly #toolsets = new Map<string, Toolset>();
  readonly #policies = new Map<string, Policy>();
  readonly #digests = new WeakMap<object, Defined>();

  constructor(ports: DefinitionPorts) {
    this.#ports = ports;
    this.#source = definitionsIn(ports.log);
  }

  /** Puts a run's definitions on the record, if they are not yet, and gives their digests. */
  async record(
    agent: AgentDefinition,
    catalogue: Catalogue,
    policy: Policy | undefined,
    signal: AbortSignal,
  ): Promise<Digests> {
    const agentDefined = this.#defined(agent, () => defineAgent(agent));
    const toolset = this.#defined(catalogue.tools, () => defineToolset(catalogue.tools));
    const { digest: agentDigest } = agentDefined;
    const { digest: toolsetDigest } = toolset;
    const rules = policy && this.#defined(policy, () => definePolicy(policy));
    await Promise.all([
      this.#once(agentStream(agentDigest), fact('agentDefined', agentDefined), signal),
      this.#once(toolsetStream(toolsetDigest), fact('toolsetDefined', toolset), signal),
      rules && this.#once(policyStream(rules.digest), fact('policyDefined', rules), signal),
      ...[...catalogue.definitions].map(([pin, definitionJson]) =>
        this.#once(toolStream(pin), fact('toolDefined', { pin, definitionJson }), signal),
      ),
    ]);
    keep(this.#agents, agentDigest, agent);
    keep(this.#toolsets, toolsetDigest, catalogue.tools);
    if (policy === undefined || rules === undefined) return { agentDigest, toolsetDigest };
    keep(this.#policies, rules.digest, policy);
    return { agentDigest, toolsetDigest, policyDigest: rules.digest };
  }

  async agent(digest: string): Promise<AgentDefinition> {
    const known = this.#agents.get(digest);
    if (known !== undefined) return known;
    return keep(this.#agents, digest, await this.#source.agent(digest));
  }

  async toolset(digest: string): Promise<Toolset> {
    const known = this.#toolsets.get(digest);
    if (known !== undefined) return known;
    return keep(this.#toolsets, digest, await this.#source.toolset(digest));
  }

  async policy(digest: string): Promise<Policy> {
    const known = this.#policies.get(digest);
    if (known !== undefined) return known;
    return keep(this.#policies, digest, await this.#source.policy(digest));
  }

  #defined(value: object, define: () => Defined): Defined {
    const known = this.#digests.get(value) ?? define();
    this.#digests.set(value, known);
    return known;
  }

  #once(stream: StreamName, definition: Fact, signal: AbortSignal): Promise<void> {
    const known = this.#recorded.get(stream);
    if (known !== undefined) return known;
    const recording = recordDefinition(this.#ports, stream, definition, signal);
    this.#recorded.set(stream, recording);
    recording.catch(() => this.#recorded.delete(stream));
    return recording;
  }
}

function keep<T>(kept: Map<string, T>, digest: string, value: T): T {
  kept.delete(digest);
  kept.set(digest, value);
  const oldest = kept.keys().next().value;
  if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
  return value;
}
