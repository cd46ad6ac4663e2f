import type { AgentNode, LlmNode, OfferedTool } from '@stopgo/core';
import { expect, test } from 'vitest';
import { type Unmatched, UnmatchedTools } from '../src/unmatched-tools.ts';

const llm = (name: string, more: Partial<LlmNode> = {}): LlmNode => ({
  ...{ type: 'llm', model: 'm', prompt: '', outputKey: '', canExitLoop: false, turnsMax: 1, approval: 'default' },
  ...{ name, ...more },
});
const catalogueOf = (...names: string[]) => ({
  tools: new Map(
    names.map((name) => [name, { target: { kind: 'tool', server: name.split('_')[0] ?? '' }, name } as OfferedTool]),
  ),
  definitions: new Map(),
});

test('a pattern that matches no tool of the servers of its node is told once, with the node', () => {
  const root: AgentNode = {
    type: 'sequential',
    name: 'root',
    children: [
      llm('all'),
      llm('none', { tools: [] }),
      llm('slip', { tools: ['files_*', 'fiels_read', 'db_?'] }),
      llm('elsewhere', { toolServers: ['db'], tools: ['files_*'] }),
    ],
  };
  const told: Unmatched[] = [];
  const unmatched = new UnmatchedTools({ name: 'agent', root }, (one) => told.push(one));
  unmatched.look(undefined);
  unmatched.look(catalogueOf());
  expect(told).toEqual([]);
  unmatched.look(catalogueOf('files_read', 'db_a'));
  unmatched.look(catalogueOf('files_read', 'db_b'));
  expect(told).toEqual([
    { node: 'slip', pattern: 'fiels_read' },
    { node: 'elsewhere', pattern: 'files_*' },
  ]);
});

test('a pattern is judged once all servers that its node may use have listed their tools', () => {
  const root: AgentNode = {
    type: 'sequential',
    name: 'root',
    children: [
      llm('any', { tools: ['late_tool', 'slip'] }),
      llm('there', { toolServers: ['files'], tools: ['slip'] }),
      llm('waits', { toolServers: ['files', 'late'], tools: ['slip'] }),
    ],
  };
  const told: Unmatched[] = [];
  const unmatched = new UnmatchedTools({ name: 'agent', root }, (one) => told.push(one));
  const early = { ...catalogueOf('files_read'), unlisted: new Set(['late']) };
  unmatched.look(early);
  expect(told).toEqual([{ node: 'there', pattern: 'slip' }]);
  // It has nothing to offer: the tools are the same, and yet more is known.
  const { tools, definitions } = early;
  unmatched.look({ tools, definitions, unlisted: new Set() });
  expect(told.slice(1)).toEqual([
    { node: 'any', pattern: 'late_tool' },
    { node: 'any', pattern: 'slip' },
    { node: 'waits', pattern: 'slip' },
  ]);
});
