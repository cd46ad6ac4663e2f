import {
  type AgentDefinition,
  agentFromDefinition,
  agentStream,
  allDefinitions,
  type DefinedRun,
  type Definitions,
  type Digests,
  definedAs,
  digestsIn,
  type Policy,
  policyFromDefinition,
  policyStream,
  type RecordedFact,
  type Toolset,
} from '@stopgo/core';
import type { ConversationLog } from './conversation-log.ts';
import { recordedDefinition, recordedToolset } from './recorded-definitions.ts';

/** Definitions as they were recorded when a run started. Each rejects with `unavailable` while the log does not show it. */
export type DefinitionSource = {
  agent(digest: string): Promise<AgentDefinition>;
  toolset(digest: string): Promise<Toolset>;
  policy(digest: string): Promise<Policy>;
};

/** The definitions of a log, read each time. */
export function definitionsIn(log: Pick<ConversationLog, 'read'>, signal?: AbortSignal): DefinitionSource {
  return {
    agent: async (digest) => agentFromDefinition(await recordedDefinition(log, agentStream(digest), signal)),
    toolset: (digest) => recordedToolset(log, digest, signal),
    policy: async (digest) => policyFromDefinition(await recordedDefinition(log, policyStream(digest), signal)),
  };
}

/**
 * All definitions that a run names, of itself and of the agents that work on its calls. Rejects with `unavailable` while the log does not
 * show one of them.
 */
export async function loadDefinitions(source: DefinitionSource, run: DefinedRun): Promise<Definitions> {
  return allDefinitions(await Promise.all(digestsIn(run).map((named) => loadOne(source, named))));
}

/** What agents follow that another driver has called: it is known before their steps are. */
export async function loadCalled(source: DefinitionSource, events: readonly RecordedFact[]): Promise<Definitions> {
  const called = events.flatMap(({ fact }) => (fact.case === 'agentCalled' ? [fact.value] : []));
  const named = called.map(({ agentDigest, toolsetDigest, policyDigest }) => ({
    ...{ agentDigest, toolsetDigest },
    ...(policyDigest === '' ? {} : { policyDigest }),
  }));
  return allDefinitions(await Promise.all(named.map((one) => loadOne(source, one))));
}

async function loadOne(source: DefinitionSource, { policyDigest, ...run }: Digests): Promise<Definitions> {
  const [agent, tools, policy] = await Promise.all([
    source.agent(run.agentDigest),
    source.toolset(run.toolsetDigest),
    policyDigest === undefined ? undefined : source.policy(policyDigest),
  ]);
  const named = { ...run, ...(policyDigest === undefined ? {} : { policyDigest }) };
  return definedAs(named, { agent, tools, ...(policy && { policy }) });
}
