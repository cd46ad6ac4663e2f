import {
  allDefinitions,
  type DefinedRun,
  type Definitions,
  type Digests,
  definedAs,
  digestsIn,
  type RecordedFact,
} from '@stopgo/core';
import type { DefinitionSource } from '../handle/ports.ts';

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

async function loadOne(source: DefinitionSource, run: Digests): Promise<Definitions> {
  const agent = await source.agent(run.agentDigest);
  const tools = await source.toolset(run.toolsetDigest);
  if (run.policyDigest === undefined) return definedAs(run, { agent, tools });
  return definedAs(run, { agent, tools, policy: await source.policy(run.policyDigest) });
}
