import { agentDefinition } from '@stopgo/cli';
import { remoteAgentsOf } from '@stopgo/core';
import { parseAgentConfig } from '@stopgo/runtime';
import { expect, test } from 'vitest';

const definitionOf = (yaml: string) => agentDefinition(parseAgentConfig(yaml, 'agent.yaml').config).root;
const remote = (name: string, url: string, more = {}) => ({
  name,
  url,
  description: '',
  destructive: false,
  forwardsBearer: true,
  ...more,
});

test('an agent of one node may delegate to the agents of the top level', () => {
  expect(definitionOf('a2a: [{ name: b, url: "https://b.example.com/a2a", destructiveHint: true }]')).toMatchObject({
    type: 'llm',
    agents: [remote('b', 'https://b.example.com/a2a', { destructive: true })],
  });
  expect(definitionOf('name: alone')).not.toHaveProperty('agents');
});

test('each model of a tree has its own agents and those of the top level, whose names it may take', () => {
  const root = definitionOf(`
a2a: [{ name: b, url: 'https://b.example.com/' }, { name: c, url: 'https://c.example.com/' }]
agent:
  type: sequential
  agents:
    - { name: one, a2a: [{ name: b, url: 'https://own.example.com/' }] }
    - { name: two }
`);
  const [b, own, c] = ['b', 'own', 'c'].map((host) => `https://${host}.example.com/`) as [string, string, string];
  expect(root).toMatchObject({
    children: [
      { name: 'one', agents: [remote('b', own), remote('c', c)] },
      { name: 'two', agents: [remote('b', b), remote('c', c)] },
    ],
  });
});

test('a node that stands for an agent is called as the node is; tokens go to https and loopback addresses only', () => {
  const node = (url: string) => `{ type: a2a, url: '${url}' }`;
  const root = definitionOf(`
agent:
  type: loop
  approval: require
  on_reject: continue
  agents:
    - { type: a2a, name: bank, url: 'https://bank.example.com/a2a', prompt: 'Pay {sum}.', output_key: paid, destructiveHint: true }
    - ${node('http://b.example.com/')}
    - ${node('http://127.0.0.1:1/')}
    - ${node('http://[::1]:1/')}
`);
  const bank = remote('bank', 'https://bank.example.com/a2a', { destructive: true });
  const common = { type: 'a2a', approval: 'require', onReject: 'continue' };
  expect(root).toMatchObject({
    children: [
      { ...common, name: 'bank', agent: bank, prompt: 'Pay {sum}.', outputKey: 'paid' },
      { ...common, agent: { name: 'a2a_2', forwardsBearer: false } },
      { ...common, agent: { forwardsBearer: true } },
      { ...common, agent: { forwardsBearer: true } },
    ],
  });
});

test('the agents of all nodes are known together, each name once', () => {
  const yaml = `
a2a: [{ name: b, url: 'https://b.example.com/' }]
agent:
  type: sequential
  agents:
    - { name: one, a2a: [{ name: c, url: 'https://c.example.com/' }] }
    - { type: a2a, name: d, url: 'https://d.example.com/' }
    - { name: two }
`;
  const agents = remoteAgentsOf(agentDefinition(parseAgentConfig(yaml, 'agent.yaml').config));
  expect(agents.map(({ name }) => name)).toEqual(['c', 'b', 'd']);
});

test('a node is offered the tools that the file says', () => {
  const some = 'mcp_servers: [{ name: files, command: x }]\nagent: { mcp_servers: [files], tools: ["read_*"] }';
  expect(definitionOf(some)).toMatchObject({ toolServers: ['files'], tools: ['read_*'] });
  expect(definitionOf('agent: { tools: [] }')).toMatchObject({ tools: [] });
  for (const key of ['toolServers', 'tools']) expect(definitionOf('agent: { name: a }')).not.toHaveProperty(key);
});
