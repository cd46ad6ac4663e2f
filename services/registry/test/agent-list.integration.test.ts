import type { Actor } from '@stopgo/core';
import { expect, test } from 'vitest';
import { AgentList, firstAfter } from '../src/agent-list.ts';
import { keptRepositories } from './support/kept-repositories.ts';
import { MemoryLog } from './support/memory-log.ts';
import { TestRepository } from './support/repository.ts';

const { signal } = new AbortController();
const ana: Actor = { kind: 'user', id: 'ana' };

test('the list of all agents is made once, and anew for what was synced, added, changed or removed', async () => {
  const source = new TestRepository();
  const write = (name: string, description: string) =>
    source.write(`${name}/prompt.md`, `---\nname: n\ndescription: ${description}\ntags: [Bills]\n---\nHelp.\n`);
  write('support', 'Supports');
  source.commit('First');
  const { repositories } = await keptRepositories(new MemoryLog(), source.folder, { configured: ['main'] });
  const list = new AgentList();
  const texts = () => list.of(repositories.all()).map(({ text }) => text);
  const [main] = repositories.all();
  await main?.sync();
  expect(texts()).toEqual(['support\nsupports\nbills']);
  expect(list.of(repositories.all())).toBe(list.of(repositories.all()));
  write('support', 'Supports all');
  source.commit('Second');
  await main?.sync();
  expect(texts()).toEqual(['support\nsupports all\nbills']);
  const team = { name: 'team', gitUrl: source.folder, isRoot: false };
  await (await repositories.add(team, ana, signal)).sync();
  expect(texts()).toHaveLength(2);
  await repositories.change('team', { isActive: false }, ana, signal);
  expect(texts()).toHaveLength(1);
  await repositories.change('team', { isActive: true }, ana, signal);
  expect(texts()).toHaveLength(2);
  await repositories.remove('team', ana, signal);
  expect(texts()).toHaveLength(1);
});

test('a page goes on after a name, whether it is still there or not', () => {
  const agents = ['a', 'b', 'd'].map((name) => ({ agent: { name } })) as unknown as Parameters<typeof firstAfter>[0];
  expect(['', 'a', 'b', 'c', 'd', 'e'].map((name) => firstAfter(agents, name))).toEqual([0, 1, 2, 2, 3, 3]);
  expect(firstAfter([], 'a')).toBe(0);
});
