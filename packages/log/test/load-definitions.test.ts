import type { AgentDefinition, Policy, Toolset } from '@stopgo/core';
import { expect, test } from 'vitest';
import { type DefinitionSource, loadDefinitions } from '../src/load-definitions.ts';

const tools: Toolset = new Map();
const source: DefinitionSource = {
  agent: async (digest): Promise<AgentDefinition> => ({
    name: digest,
    root: { type: 'sequential', name: digest, children: [] },
  }),
  toolset: async () => tools,
  policy: async (): Promise<Policy> => ({ rules: [] }),
};

test('what the agents follow that work on calls of a run is loaded with what the run follows', async () => {
  const called = { agentDigest: 'b', toolsetDigest: 'u', policyDigest: 'p' };
  const run = { id: 'r', agentDigest: 'a', toolsetDigest: 't', calls: { 'root#1.0': { called }, 'root#1.1': {} } };
  const { agents, toolsets, policies } = await loadDefinitions(source, run);
  expect([[...agents.keys()], [...toolsets.keys()], [...(policies?.keys() ?? [])]]).toEqual([
    ['a', 'b'],
    ['t', 'u'],
    ['p'],
  ]);
});
