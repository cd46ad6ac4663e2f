import { type DefinedRun, type Definitions, definedAs } from '@stopgo/core';
import type { DefinitionSource } from '../handle/ports.ts';

/** All definitions that a run names. Rejects with `unavailable` while the log does not show one of them. */
export async function loadDefinitions(source: DefinitionSource, run: DefinedRun): Promise<Definitions> {
  const agent = await source.agent(run.agentDigest);
  const tools = await source.toolset(run.toolsetDigest);
  if (run.policyDigest === undefined) return definedAs(run, { agent, tools });
  return definedAs(run, { agent, tools, policy: await source.policy(run.policyDigest) });
}
