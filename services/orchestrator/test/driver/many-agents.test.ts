import { type AgentDefinition, definedAs, encodeFact, type RequestedCall } from '@stopgo/core';
import type { Append } from '@stopgo/log';
import { expect, test } from 'vitest';
import type { CallableAgents } from '../../src/agents/callable.ts';
import { drivenAgent, llm, says, tools } from './scripted-run.ts';

/** Two agents more in each: the boss calls the lead, who calls the clerk. */
const rounds = 30;

const agent = (name: string, allowedAgents: readonly string[]): AgentDefinition => ({
  name,
  root: llm(name, 'Do it.', { onReject: 'continue', outputKey: '', turnsMax: 100 }),
  platform: {
    title: name,
    description: `Does ${name}.`,
    tags: [],
    examples: [],
    allowedAgents,
    providers: [],
    contextScope: 'NONE',
    completionRequired: true,
  },
});
const [boss, lead, clerk] = [agent('boss', ['lead']), agent('lead', ['clerk']), agent('clerk', [])];

const agents: CallableAgents = {
  forCall: async (name) => {
    const found = [lead, clerk].find((one) => one.name === name);
    if (found === undefined) return undefined;
    const digests = { agentDigest: `digest of ${name}`, toolsetDigest: 't' };
    return { ...digests, definitions: definedAs(digests, { agent: found, tools }), name, contextScope: 'NONE' };
  },
};

const asks = (name: string, args: object): RequestedCall => ({
  name,
  providerCallId: '',
  argumentsJson: JSON.stringify(args),
});
const calls = (name: string) => says('', [asks('call_agent', { agent_name: name, input: 'Do it.' })]);
const completes = (result: string) => says('', [asks('complete_agent_execution', { result, status: 'SUCCESS' })]);
const again = <T>(...of: readonly T[]): T[] => Array.from({ length: rounds }, () => of).flat();

/** Facts and bytes of the appends of one round: the boss is answered once in each. */
type Round = { readonly appends: string[][]; bytes: number };

test('the last of sixty agents that one run calls, three one below another, takes the appends and bytes of the third', async () => {
  const made: Round[] = [];
  const before = async ({ facts }: Append): Promise<undefined> => {
    if (facts.some((one) => one.case === 'modelResponded' && one.value.stepId === 'root'))
      made.push({ appends: [], bytes: 0 });
    const round = made.at(-1);
    if (round === undefined) return;
    round.appends.push(facts.map((one) => one.case ?? ''));
    round.bytes += facts.reduce((sum, one) => sum + encodeFact(one).length, 0);
  };
  const { status, response, log } = await drivenAgent(
    boss,
    {
      boss: [...again(calls('lead')), completes('All done.')],
      lead: again(calls('clerk'), completes('Done.')),
      clerk: again(completes('Filed.')),
    },
    { before, agents, calling: { limits: { depthMax: 10, callsMax: 100, circlesAllowed: false } } },
  );
  expect([status, response]).toEqual(['completed', 'All done.']);
  expect(log.filter(({ fact }) => fact.case === 'agentCalled')).toHaveLength(2 * rounds);
  const [third, last] = [made[1], made[rounds - 1]];
  if (third === undefined || last === undefined) throw new Error('there are fewer rounds');
  expect(last.appends).toEqual(third.appends);
  // Turns and revisions have a digit more.
  expect(last.bytes - third.bytes).toBeLessThan(2 * 2 * third.appends.flat().length);
});
