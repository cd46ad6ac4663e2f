import { isDeepStrictEqual } from 'node:util';
import {
  type AgentDefinition,
  agentFromDefinition,
  agentStream,
  type Defined,
  type Digests,
  DomainError,
  defineAgent,
  definePolicy,
  defineToolset,
  type Fact,
  fact,
  type Policy,
  policyFromDefinition,
  policyStream,
  type StreamName,
  type Toolset,
  toolStream,
  toolsetStream,
} from '@stopgo/core';
import type { Clock, ConversationLog } from '@stopgo/log';
import { appendUntilKnown, recordedDefinition, recordedToolset, untilAnswered } from '@stopgo/log';
import type { DefinitionSource } from './driver/handle/ports.ts';
import type { Catalogue } from './tool-port.ts';

/** Definitions kept in memory, by digest. */
const keptMax = 64;

type DefinitionPorts = {
  readonly instance: string;
  readonly log: ConversationLog;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly random: () => number;
};

/**
 * Agents, tool sets and policies as they are on the record: each stands once, in a stream named by its digest, so that a run goes
 * on with the definition it started with whatever the configuration says by then.
 */
export class RecordedDefinitions implements DefinitionSource {
  readonly #ports: DefinitionPorts;
  readonly #recorded = new Map<string, Promise<void>>();
  readonly #agents = new Map<string, AgentDefinition>();
  readonly #toolsets = new Map<string, Toolset>();
  readonly #policies = new Map<string, Policy>();
  readonly #digests = new WeakMap<object, Defined>();

  constructor(ports: DefinitionPorts) {
    this.#ports = ports;
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
    const definition = await recordedDefinition(this.#ports.log, agentStream(digest));
    return keep(this.#agents, digest, agentFromDefinition(definition));
  }

  async toolset(digest: string): Promise<Toolset> {
    const known = this.#toolsets.get(digest);
    if (known !== undefined) return known;
    return keep(this.#toolsets, digest, await recordedToolset(this.#ports.log, digest));
  }

  async policy(digest: string): Promise<Policy> {
    const known = this.#policies.get(digest);
    if (known !== undefined) return known;
    const definition = await recordedDefinition(this.#ports.log, policyStream(digest));
    return keep(this.#policies, digest, policyFromDefinition(definition));
  }

  #defined(value: object, define: () => Defined): Defined {
    const known = this.#digests.get(value) ?? define();
    this.#digests.set(value, known);
    return known;
  }

  #once(stream: StreamName, definition: Fact, signal: AbortSignal): Promise<void> {
    const known = this.#recorded.get(stream);
    if (known !== undefined) return known;
    const recording = this.#append(stream, definition, signal);
    this.#recorded.set(stream, recording);
    recording.catch(() => this.#recorded.delete(stream));
    return recording;
  }

  async #append(stream: StreamName, definition: Fact, signal: AbortSignal): Promise<void> {
    const { instance, log, clock, newId, random } = this.#ports;
    const append = {
      stream,
      expectedRevision: 0,
      facts: [definition],
      actor: { kind: 'system', id: instance } as const,
      correlationId: '',
      causationId: '',
      key: newId(),
      now: clock.now(),
      eventIds: [newId()],
    };
    const outcome = await appendUntilKnown(log, append, clock, random, signal);
    if (outcome.kind !== 'conflict') return;
    // Somebody has recorded it: the name of the stream is the digest of what it holds. That is made sure of.
    const [there] = outcome.unseen;
    const recorded = there?.fact ?? (await untilAnswered(() => this.#first(stream), clock, random, signal));
    if (!isDeepStrictEqual(recorded, definition))
      throw new DomainError('data_loss', `${stream} holds another definition than the one that it is named after`);
  }

  async #first(stream: StreamName): Promise<Fact> {
    for await (const event of this.#ports.log.read(stream, 1)) return event.fact;
    throw new DomainError('unavailable', `${stream} cannot be read now`);
  }
}

function keep<T>(kept: Map<string, T>, digest: string, value: T): T {
  kept.delete(digest);
  kept.set(digest, value);
  const oldest = kept.keys().next().value;
  if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
  return value;
}
