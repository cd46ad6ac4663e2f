import { fact, type RemoteQuestion } from '@stopgo/core';
import { Secret } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { Registry } from '../../src/driver/registry.ts';
import { TaskWatch } from '../../src/driver/task-watch.ts';
import { done, Errand, lost, peer, quiet } from './errands.ts';
import { HandClock } from './one-driver.ts';

const node = { type: 'a2a', name: 'peer', agent: peer, prompt: '', approval: 'default' } as const;
const shown: RemoteQuestion = { key: 'w1', kind: 'approval', prompt: 'Really?' };
const asks = {
  kind: 'asks',
  task: { id: 'task-1', state: 'input-required' },
  text: '',
  questions: [shown],
  isIdempotent: false,
} as const;

/** So many that the tasks are another's to watch, as long as its run is not laid aside here. */
const others = Array.from({ length: 40 }, (_, index) => `orchestrator-${index}`);

/** A run that began with a token and has a decision for an agent that is away, and a process that has just taken it up. */
async function decidedFor() {
  const agent = { isAway: true };
  const look = async () => {
    if (agent.isAway) throw lost;
    return asks;
  };
  const script = { delegate: [asks], lookUp: Array(200).fill(look), answer: [done('Paid.')] };
  const errand = new Errand(node, script, [], true);
  await errand.first({ bearer: new Secret('s3cret') }).ended;
  errand.append(errand.decision({ kind: 'approve' }));
  const clock = new HandClock();
  const ports = errand.watcher('second', ['second', ...others], clock);
  const openRuns = async () => [
    { conversationId: 'c', runId: 'r', ownerInstance: 'second', ownerEpoch: 2, revision: errand.log.length },
  ];
  const definitions = { agent: async () => errand.agent, toolset: async () => new Map() };
  const registry = new Registry({ ...ports, log: { ...ports.log, openRuns } }, definitions, 1);
  const watch = new TaskWatch({
    ports,
    definitions,
    load: (id) => registry.load(id),
    isLaidAside: (id) => registry.isLaidAside(id),
    resume: (id, bearer) => registry.resume(id, bearer),
  });
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) await quiet().then(() => clock.pass(1_000));
  };
  await registry.resume('c', new Secret('s3cret'));
  return { agent, errand, registry, watch, pass };
}

test('a decision for an agent that is away is kept for it; after a minute nobody drives its run until the agent is heard of', async () => {
  const { agent, errand, registry, watch, pass } = await decidedFor();
  await pass(30);
  expect(() => registry.admit('other')).toThrow(/limits.concurrent_runs/);
  await pass(60);
  expect([registry.driver('c'), registry.isLaidAside('c')]).toEqual([undefined, true]);
  registry.admit('other')();
  const { length: asked } = errand.asked;
  expect(asked).toBeLessThan(12);
  await pass(300);
  await registry.sweep();
  await watch.round();
  await pass(60);
  expect([errand.asked.length, registry.isLaidAside('c'), errand.answered]).toEqual([asked + 1, true, []]);
  expect(errand.all('runClaimed')).toHaveLength(1);
  agent.isAway = false;
  await watch.round();
  await pass(5);
  expect([errand.answered.length, await errand.response()]).toEqual([1, 'Paid.']);
  expect([errand.names.includes('inputRequested'), registry.isLaidAside('c')]).toEqual([false, false]);
});

test('a run that is laid aside is taken up at once when somebody else puts something on its record', async () => {
  const { agent, errand, registry, pass } = await decidedFor();
  await pass(90);
  expect(registry.isLaidAside('c')).toBe(true);
  errand.append([fact('stateSet', { runId: 'r', stepId: 'root', key: 'k' })]);
  agent.isAway = false;
  await registry.sweep();
  await pass(5);
  expect([errand.answered.length, await errand.response()]).toEqual([1, 'Paid.']);
});
