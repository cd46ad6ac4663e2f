import { expect, test } from 'vitest';
import { ConfigError, parseAgentConfig } from '../src/index.ts';

function problemsOf(source: string): readonly string[] {
  try {
    parseAgentConfig(source, 'agent.yaml');
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test.each([
  [
    'a sandbox beside url',
    'mcp_servers: [{ name: a, url: "http://h/", sandbox: required, folders: [x] }]',
    [
      'mcp_servers[0] "a": sandbox is for a server with command',
      'mcp_servers[0] "a": folders is for a server with command',
    ],
  ],
  [
    'what is in a sandbox, without one',
    'mcp_servers: [{ name: a, command: x, network: all }, { name: b, command: x, sandbox: off, write_folders: [y] }]',
    [
      'mcp_servers[0] "a": network is for a server with sandbox: required',
      'mcp_servers[1] "b": write_folders is for a server with sandbox: required',
    ],
  ],
  [
    'a kind of sandbox that there is not',
    'mcp_servers: [{ name: a, command: x, sandbox: on, network: loopback }]',
    [
      'mcp_servers[0].sandbox: expected off or required, found text',
      'mcp_servers[0].network: expected none or all, found text',
    ],
  ],
])('%s is refused', (_, source, problems) => {
  expect(problemsOf(source)).toEqual(problems);
});

test('a server with a command is in a sandbox only if the file says so, and then without network', () => {
  const transportsOf = (yaml: string) =>
    parseAgentConfig(yaml, 'agent.yaml').config.mcpServers.map((one) => one.transport);
  const base = { kind: 'stdio', command: 'x', args: [], env: {} };
  expect(
    transportsOf(`
mcp_servers:
  - { name: a, command: x }
  - { name: b, command: x, sandbox: off }
  - { name: c, command: x, sandbox: required }
  - { name: d, command: x, sandbox: required, folders: [docs], write_folders: [notes], network: all }
`),
  ).toEqual([
    base,
    base,
    { ...base, sandbox: { folders: [], writeFolders: [], network: 'none' } },
    { ...base, sandbox: { folders: ['docs'], writeFolders: ['notes'], network: 'all' } },
  ]);
});
