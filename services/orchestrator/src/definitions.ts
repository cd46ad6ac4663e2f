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
import { KeptDefinitions } from './kept-definitions.ts';
import type { Catalogue } from './tool-port.ts';

/** Streams of which it is kept that their definition is on the record. It is only recorded again, to no effect, where it is not. */
const recordedMax = 4_096;

/**
 * Agents, tool sets and policies as they are on the record: each stands once, in a stream named by its digest, so that a run goes
 * on with the definition it started with whatever the configuration says by then.
 */
export class RecordedDefinitions implements DefinitionSource {
  readonly #ports: DefinitionPorts;
  readonly #source: DefinitionSource;
  readonly #recorded = new Map<string, Promise<void>>();
  readonly #agents = new KeptDefinitions<AgentDefinition>();
  readonly #toolsets = new KeptDefinitions<Toolset>();
  readonly #policies = new KeptDefinitions<Policy>();
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
    this.#agents.keep(agentDigest, agent, agentDefined.definitionJson.length);
    this.#toolsets.keep(toolsetDigest, catalogue.tools, toolset.definitionJson.length);
    if (policy === undefined || rules === undefined) return { agentDigest, toolsetDigest };
    this.#policies.keep(rules.digest, policy, rules.definitionJson.length);
    return { agentDigest, toolsetDigest, policyDigest: rules.digest };
  }

  async agent(digest: string): Promise<AgentDefinition> {
    return this.#agents.get(digest) ?? loaded(this.#agents, digest, await this.#source.agent(digest));
  }

  async toolset(digest: string): Promise<Toolset> {
    return this.#toolsets.get(digest) ?? loaded(this.#toolsets, digest, await this.#source.toolset(digest));
  }

  async policy(digest: string): Promise<Policy> {
    return this.#policies.get(digest) ?? loaded(this.#policies, digest, await this.#source.policy(digest));
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
    const [oldest = stream] = this.#recorded.keys();
    if (this.#recorded.size > recordedMax) this.#recorded.delete(oldest);
    recording.catch(() => this.#recorded.delete(stream));
    return recording;
  }
}

function loaded<T>(kept: KeptDefinitions<T>, digest: string, value: T): T {
  return kept.keep(digest, value, JSON.stringify(value).length);
}
