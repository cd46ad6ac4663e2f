import { expect, test } from 'vitest';
import { commandProblem } from '../src/lines/command-rules.ts';
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

test.each(['LD_PRELOAD', 'node_path', 'BASH_ENV'])('env with %s is refused, without its value', (name) => {
  const problem = commandProblem({ command: 'server', args: [], env: { KEY: 'x', [name]: 'secret-value' } });
  expect(problem).toBe(`env sets ${name}, which can make a program load code that is not its own; remove it`);
});

test.each(['', '--max-old-space-size=4096', ' --max_old_space_size=4096  --no-warnings --dns-result-order=ipv4first '])(
  'NODE_OPTIONS of "%s" can load no code and may be set',
  (options) => {
    expect(commandProblem({ command: 'npx', args: [], env: { NODE_OPTIONS: options } })).toBeUndefined();
  },
);

test.each([
  ['--require=/srv/secret-value.js', 'the option --require'],
  ['--max-old-space-size=4096 -r secret-value', 'the option -r'],
  ['--inspect=0.0.0.0:9229', 'the option --inspect'],
  ['--experimental_loader=secret-value', 'the option --experimental-loader'],
  ['--dns-result-order secret-value', 'a value that is not joined to its option by ='],
])('NODE_OPTIONS of "%s" may not, and why is true', (options, what) => {
  const allowed = 'allowed are only some that can load no code, such as --max-old-space-size=4096';
  const remedy = 'remove it, or give it in args if the program is node';
  expect(commandProblem({ command: 'npx', args: [], env: { node_options: options } })).toBe(
    `env sets NODE_OPTIONS with ${what}; ${allowed}: ${remedy}`,
  );
});

test('nor may a variable that env sets', () => {
  const problem = commandProblem({ command: 'env', args: ['LD_PRELOAD=secret-value', 'server'], env: none });
  expect(problem).toBe('env sets LD_PRELOAD, which can make a program load code that is not its own; remove it');
});

test('such a server is not started', async () => {
  const config = stdioServer('s', 'sh', ['-c', 'exec node server.js']);
  await expect(startBridge([config])).rejects.toThrow(
    'failed to start MCP server "s": "sh -c" runs a command line, and no shell is used; ' +
      'name the program in command and its arguments in args',
  );
});
