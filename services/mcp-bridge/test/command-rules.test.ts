import { expect, test } from 'vitest';
import { commandProblem } from '../src/command-rules.ts';
import { startBridge, stdioServer } from './support/bridge.ts';

const none: Record<string, string> = {};

test.each([
  ['sh', ['-c', 'x']],
  ['/bin/bash', ['-lc', 'x']],
  ['bash', ['-o', 'pipefail', '-c', 'x']],
  ['/usr/bin/dash', ['-ec', 'x']],
  ['cmd.exe', ['/s', '/c', 'x']],
  ['C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe', ['-Command', 'x']],
  ['npx', ['-c', 'x']],
  ['npx', ['-p', 'some-package', '--call=x']],
  ['env', ['sh', '-c', 'x']],
  ['/usr/bin/env', ['-i', '-u', 'HOME', 'A=1', 'B=', 'env', '--', 'bash', '-lc', 'x']],
  ['env', ['-S', 'sh -c x']],
])('%s %s runs a command line and is refused', (command, args) => {
  expect(commandProblem({ command, args, env: none })).toMatch(/runs a command line, and no shell is used; name the/);
});

test.each([
  ['bash', ['server.sh', '-c', 'settings']],
  ['sh', ['/srv/server.sh', '-c', 'settings']],
  ['npx', ['-y', 'some-server@1.2.3', '-c', 'settings']],
  ['node', ['-c']],
  ['python3', ['server.py', '-c']],
  ['env', ['A=1', 'node', 'server.js', '-c']],
  ['env', []],
])('%s %s starts a program and may', (command, args) => {
  expect(commandProblem({ command, args, env: none })).toBeUndefined();
});

test.each(['LD_PRELOAD', 'node_options', 'BASH_ENV'])('env with %s is refused, without its value', (name) => {
  const problem = commandProblem({ command: 'server', args: [], env: { KEY: 'x', [name]: 'secret-value' } });
  expect(problem).toBe(`env sets ${name}, which makes a program load other code than its own; remove it`);
});

test('nor may a variable that env sets', () => {
  const problem = commandProblem({ command: 'env', args: ['LD_PRELOAD=secret-value', 'server'], env: none });
  expect(problem).toBe('env sets LD_PRELOAD, which makes a program load other code than its own; remove it');
});

test('such a server is not started', async () => {
  const config = stdioServer('s', 'sh', ['-c', 'exec node server.js']);
  await expect(startBridge([config])).rejects.toThrow(
    'failed to start MCP server "s": "sh -c" runs a command line, and no shell is used; ' +
      'name the program in command and its arguments in args',
  );
});
