import { agentFromDefinition, defineAgent, offeredTo } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { judgeCall } from '../src/calls/judge.ts';
import { agentOf, llm, tool } from './story.ts';

const { Disposition } = facts;

const tools = new Map(
  [
    { ...tool('read_file', { readOnly: true }), target: { kind: 'tool', server: 'files' } as const },
    { ...tool('write_file'), target: { kind: 'tool', server: 'files' } as const },
    { ...tool('read_page', { readOnly: true }), target: { kind: 'tool', server: 'web' } as const },
  ].map((one) => [one.name, one]),
);

test('a tool whose name has a slash is named by that, or behind its server', () => {
  const slashed = new Map([['a/b', { ...tool('a/b'), target: { kind: 'tool', server: 'files' } as const }]]);
  for (const [pattern, count] of [
    ['a/b', 1],
    ['a/*', 1],
    ['files/a/b', 1],
    ['files/b', 0],
    ['files', 0],
  ] as const)
    expect(offeredTo({ node: llm({ tools: [pattern] }) }, slashed).size, pattern).toBe(count);
});

describe('an llm node is offered', () => {
  test.each([
    ['all tools', {}, ['read_file', 'write_file', 'read_page']],
    ['those of its servers', { toolServers: ['web'] }, ['read_page']],
    ['those that its patterns name', { tools: ['read_*'] }, ['read_file', 'read_page']],
    ['what both take', { toolServers: ['files'], tools: ['read_*'] }, ['read_file']],
    ['none of an empty list', { toolServers: [] }, []],
    ['none of no patterns', { tools: [] }, []],
    ['those of one server by name', { tools: ['files/read_*'] }, ['read_file']],
    ['all of a server, and others by name', { tools: ['web/*', 'write_file'] }, ['write_file', 'read_page']],
    ['all but some', { tools: ['*', '!*_file'] }, ['read_page']],
    ['all but those of a server, in any order', { tools: ['!files/write_*', '*'] }, ['read_file', 'read_page']],
    ['none of what it is only not to be offered', { tools: ['!read_*'] }, []],
    ['none of what no pattern names', { tools: ['file/read_*', 'files/', 'fi*_file'] }, []],
  ])('%s', (_, selection, expected) => {
    expect([...offeredTo({ node: llm(selection) }, tools).keys()]).toEqual(expected);
  });

  test('its agents whatever its patterns say', () => {
    const peer = {
      name: 'peer',
      url: 'https://p.example.com/',
      description: '',
      destructive: false,
      forwardsBearer: false,
    };
    const node = llm({ tools: ['read_page'], agents: [peer] });
    expect([...offeredTo({ node }, tools).keys()]).toEqual(['read_page', 'a2a_peer']);
  });
});

test('a call of a tool that the node was not offered gets an error, whoever else may call it', () => {
  const node = llm({ toolServers: ['files'], tools: ['read_*'] });
  const caller = { agentName: 'assistant', agents: ['assistant'], commit: '' };
  const site = { node, insideParallelOrLoop: false, ...caller, offered: offeredTo({ node }, tools) };
  const judge = (name: string) => judgeCall({ providerCallId: 'p', name, argumentsJson: '{}' }, site).call;
  for (const name of ['write_file', 'read_page'])
    expect(judge(name)).toMatchObject({ disposition: Disposition.REFUSED, error: `Tool not found: ${name}` });
  expect(judge('read_file').disposition).toBe(Disposition.ALLOWED);
});

test('what a node takes is recorded with its agent, and an agent that says nothing of it is recorded as before', () => {
  const agent = agentOf(llm({ toolServers: ['files'], tools: ['read_*'] }));
  const { definitionJson } = defineAgent(agent);
  expect(agentFromDefinition(definitionJson)).toEqual(agent);
  expect(defineAgent(agentOf(llm())).definitionJson).not.toContain('tools');
});
