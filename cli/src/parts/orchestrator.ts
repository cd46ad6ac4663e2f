import { randomUUID } from 'node:crypto';
import { systemClock } from '@stopgo/log';
import { type Orchestrator, type OrchestratorDependencies, startOrchestrator } from '@stopgo/orchestrator';
import { agentDefinition, systemPromptOf } from './agent-definition.ts';
import type { PartOptions } from './part.ts';

/** Starts an orchestrator that drives the runs of the configured agent, under an id that is never used twice. */
export function startOrchestratorPart(
  { config, logger }: PartOptions,
  instance: string,
  clients: Pick<OrchestratorDependencies, 'store' | 'connectBridge' | 'models'>,
): Promise<Orchestrator> {
  return startOrchestrator(
    {
      agent: agentDefinition(config),
      systemPrompt: systemPromptOf(config),
      heartbeatTtlMs: config.heartbeatTtlMs,
      runsMax: config.limits.concurrentRuns,
    },
    {
      ...clients,
      instance,
      clock: systemClock,
      newId: randomUUID,
      random: Math.random,
      log: logger,
    },
  );
}
