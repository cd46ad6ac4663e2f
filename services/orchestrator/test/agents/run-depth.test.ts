import { definedAs, type RunDefinition } from '@stopgo/core';
import { expect, test } from 'vitest';
import { withinDepth } from '../../src/agents/run-depth.ts';
import { agentOf } from './catalogues.ts';

const digests = { agentDigest: 'a', toolsetDigest: 't' };
const plain: RunDefinition = {
  ...digests,
  definitions: definedAs(digests, { agent: agentOf('clerk'), tools: new Map() }),
};
const calling: RunDefinition = { ...plain, calling: { limits: { depthMax: 3, callsMax: 7, circlesAllowed: true } } };

test.each([
  [0, 3],
  [1, 1],
  [3, 3],
])('a run that asks for %i agents one below another has %i', (asked, depthMax) => {
  expect(withinDepth(calling, 'clerk', asked)).toEqual({
    ...calling,
    calling: { limits: { depthMax, callsMax: 7, circlesAllowed: true } },
  });
});

test.each<[string, RunDefinition, string]>([
  ['more than the configuration says', calling, 'at most 3, as agent_execution.max_call_depth'],
  ['them for an agent that calls none', plain, 'the agent clerk is of the configuration'],
])('a run that asks for %s is refused', (_what, follows, words) => {
  expect(() => withinDepth(follows, 'clerk', 4)).toThrow(words);
});

test('one that asks for nothing is as it was, whatever its agent', () => {
  expect(withinDepth(plain, 'clerk', 0)).toBe(plain);
});
