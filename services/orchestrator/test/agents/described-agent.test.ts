import type { AgentDefinition } from '@stopgo/core';
import { expect, test } from 'vitest';
import { aboutPauseMs } from '../../src/a2a/bounds.ts';
import { DescribedAgent } from '../../src/agents/described-agent.ts';
import { agentAt } from '../a2a/orders.ts';
import { HandClock } from '../driver/one-driver.ts';

const llm = {
  type: 'llm',
  name: 'clerk',
  model: 'm',
  prompt: '',
  outputKey: '',
  canExitLoop: false,
  turnsMax: 1,
  approval: 'default',
} as const;

test('agents without a description are described by their cards, as soon and for as long as anything is known', async () => {
  const agents = [agentAt('http://a'), agentAt('http://b', { name: 'known', description: 'Known.' })];
  const configured: AgentDefinition = {
    name: 'desk',
    root: { type: 'sequential', name: 'all', children: [{ ...llm, agents }] },
  };
  let says: () => Promise<string> = () => Promise.reject(new Error('gone'));
  const asked: string[] = [];
  const described = new DescribedAgent(configured, (url) => {
    asked.push(url);
    return says();
  });
  const clock = new HandClock();
  const stop = new AbortController();
  const asking = described.keepAsking(clock, stop.signal);
  await clock.pass(0);
  expect(described.now).toBe(configured);
  says = async () => 'Bakes.';
  await clock.pass(aboutPauseMs);
  const told = () => JSON.stringify(described.now).match(/"description":"[^"]*"/g);
  expect(told()).toEqual(['"description":"Bakes."', '"description":"Known."']);
  // The digest of a definition is kept with the object.
  const first = described.now;
  await clock.pass(aboutPauseMs);
  says = () => Promise.reject(new Error('gone'));
  await clock.pass(aboutPauseMs);
  expect(described.now).toBe(first);
  expect(new Set(asked)).toEqual(new Set(['http://a']));
  stop.abort();
  await asking;
});
