import { type AgentDefinition, type OfferedTool, unavailable } from '@stopgo/core';
import type { AgentCatalogue } from '../../src/agents/catalogue.ts';
import { ConfiguredAgent, type ConfiguredAgentParts } from '../../src/agents/configured-agent.ts';
import { RecordedDefinitions } from '../../src/definitions.ts';
import type { Catalogue } from '../../src/tool-port.ts';
import { HandClock } from '../driver/one-driver.ts';
import { LogInMemory } from './log-in-memory.ts';

/** An agent of one node, which says its name. */
export const agentOf = (name: string): AgentDefinition => ({
  name,
  root: {
    ...{ type: 'llm', name, model: name, prompt: `You are ${name}.`, outputKey: '', canExitLoop: false },
    ...{ turnsMax: 3, approval: 'default' },
  },
});

export const listTool: OfferedTool = {
  target: { kind: 'tool', server: 'files' },
  name: 'list',
  description: '',
  inputSchemaJson: '{"type":"object"}',
  pin: 'pin of list',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  approvalRequired: false,
  forwardsBearer: false,
};

/** What agents of a catalogue are made of: a log, and tools that a bridge has told, or has not. */
export class Surroundings {
  readonly log = new LogInMemory();
  readonly definitions: RecordedDefinitions;
  tools: Catalogue | undefined = { tools: new Map(), definitions: new Map() };
  #ids = 0;

  constructor() {
    const clock = new HandClock();
    this.definitions = new RecordedDefinitions({
      ...{ instance: 'o', log: this.log, clock, random: () => 0 },
      newId: () => this.newId(),
    });
  }

  newId(): string {
    this.#ids += 1;
    return `id-${this.#ids}`;
  }

  /** One agent, as a configuration gives it. */
  configured(definition: AgentDefinition): ConfiguredAgent {
    const parts: ConfiguredAgentParts = {
      definition: () => definition,
      systemPrompt: `Of ${definition.name}.`,
      definitions: this.definitions,
      tools: {
        catalogue: () => {
          if (this.tools === undefined) throw unavailable('no tool bridge has answered yet; try again');
          return this.tools;
        },
      },
    };
    return new ConfiguredAgent(parts);
  }
}

/** Several agents; the first one is the default, as long as it is there. */
export class SeveralAgents implements AgentCatalogue {
  readonly #agents: Map<string, ConfiguredAgent>;

  constructor(around: Surroundings, names: readonly string[]) {
    this.#agents = new Map(names.map((name) => [name, around.configured(agentOf(name))]));
  }

  async default() {
    const [first] = this.#agents.values();
    if (first === undefined) throw new Error('there is always one');
    return first.default();
  }

  async find(name: string) {
    return this.#agents.get(name)?.default();
  }

  async only() {
    return this.#agents.size === 1 ? this.default() : undefined;
  }

  async list() {
    return [...this.#agents.keys()];
  }

  remove(name: string): void {
    this.#agents.delete(name);
  }
}
