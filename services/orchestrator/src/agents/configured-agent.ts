import { type AgentDefinition, definedAs, invalidArgument, type Policy } from '@stopgo/core';
import type { RecordedDefinitions } from '../definitions.ts';
import type { ToolPort } from '../tool-port.ts';
import type { AgentCatalogue, CatalogueAgent } from './catalogue.ts';

/** What the configured agent is made of. */
export type ConfiguredAgentParts = {
  /** The agent as it is for runs that start now: what other agents say of themselves is learnt with time. Its name stays. */
  readonly definition: () => AgentDefinition;
  readonly systemPrompt: string;
  /** What its calls are judged by beside the defaults; absent: by nothing else. */
  readonly policy?: Policy;
  readonly tools: Pick<ToolPort, 'catalogue'>;
  readonly definitions: RecordedDefinitions;
};

/** The catalogue of a platform whose configuration says what its one agent is. */
export class ConfiguredAgent implements AgentCatalogue {
  readonly #parts: ConfiguredAgentParts;

  constructor(parts: ConfiguredAgentParts) {
    this.#parts = parts;
  }

  async default(): Promise<CatalogueAgent> {
    return this.#now();
  }

  async find(name: string, revision = ''): Promise<CatalogueAgent | undefined> {
    if (name !== this.#parts.definition().name) return undefined;
    if (revision === '') return this.#now();
    throw invalidArgument(`the agent ${name} is of the configuration, which has no revisions; leave the revision out`);
  }

  async only(): Promise<CatalogueAgent> {
    return this.#now();
  }

  async list(): Promise<readonly string[]> {
    return [this.#parts.definition().name];
  }

  #now(): CatalogueAgent {
    const { systemPrompt, policy, tools, definitions } = this.#parts;
    const definition = this.#parts.definition();
    return {
      name: definition.name,
      systemPrompt,
      definition,
      forRun: async (signal) => {
        const catalogue = tools.catalogue();
        const digests = await definitions.record(definition, catalogue, policy, signal);
        const defined = { agent: definition, tools: catalogue.tools, ...(policy && { policy }) };
        return { ...digests, definitions: definedAs(digests, defined) };
      },
    };
  }
}
