import type { DefinitionPorts } from '@stopgo/log';
import {
  type AgentCatalogue,
  type AgentLookup,
  AgentMemories,
  type BridgeTools,
  type DriverPorts,
  type PlatformAgents,
  type RecordedDefinitions,
} from '@stopgo/orchestrator';
import { callingNames } from './agents.ts';
import type { VirtualProcess } from './scheduler.ts';
import type { World } from './world.ts';

/** Looks agents up over the network, as the registry does: what it names is on the record by then. */
export function agentLookup(
  world: World,
  process: VirtualProcess,
  definitions: RecordedDefinitions,
  tools: Pick<BridgeTools, 'catalogue'>,
): AgentLookup {
  const { scenario, network } = world;
  return {
    resolve: async (name, _revision, signal) => {
      const agent = await network.call(
        process,
        undefined,
        'registry',
        () => scenario.agents.find((one) => one.name === name),
        { signal },
      );
      if (agent === undefined) return undefined;
      const { agentDigest } = await definitions.record(agent, tools.catalogue(), undefined, signal);
      return {
        name,
        digest: agentDigest,
        source: { repository: 'agents', commit: `c${scenario.seed}`, path: `${name}.md` },
      };
    },
    matching: async () => [],
  };
}

/** The first of the agents that call each other is that of all conversations. */
export function callingCatalogue(platform: PlatformAgents): AgentCatalogue {
  const signal = new AbortController().signal;
  const find = (name: string) => platform.find(name, '', signal);
  return {
    find,
    default: async () => {
      const agent = await find(callingNames[0]);
      if (agent === undefined) throw new Error(`there is no agent ${callingNames[0]}`);
      return agent;
    },
    only: async () => undefined,
    list: async () => callingNames,
  };
}

/** What agents remember; a mutant loads what it has loaded before. */
export function memoryPort(world: World, ports: DefinitionPorts): DriverPorts['memories'] {
  const memories = new AgentMemories(ports);
  if (!world.hasMutation('memory-shows-what-it-knew')) return memories;
  const known = new Map<string, ReturnType<AgentMemories['load']>>();
  return {
    save: (...saved) => memories.save(...saved),
    told: (...asked) => memories.told(...asked),
    load: (agent, key, signal) => {
      const before = known.get(`${agent} ${key}`) ?? memories.load(agent, key, signal);
      known.set(`${agent} ${key}`, before);
      return before;
    },
  };
}
