import { parseAgentConfig } from '@stopgo/runtime';
import { expect, test } from 'vitest';
import { sayWhatToolServersCan } from '../src/parts/tool-server-notes.ts';

/** Three processes, each the parent of the one before, with what each was started with. */
const processes: Readonly<Record<string, string>> = {
  '/proc/30/stat': '30 (node) S 20 30 30 0',
  '/proc/30/environ': 'PATH=/bin\0HOME=/root\0',
  '/proc/20/stat': '20 (npm (start) x) S 10 20 20 0',
  '/proc/20/environ': 'GEMINI_API_KEY=sekrit-key\0PATH=/bin\0',
  '/proc/10/stat': '10 (ba\u001bsh) S 1 10 10 0',
  '/proc/10/environ': 'VAULT_TOKEN=sekrit-token\0',
  '/proc/1/stat': '1 (init) S 0 1 1 0',
};

function said(yaml: string, env: Record<string, string>): string[] {
  const lines: string[] = [];
  const { config } = parseAgentConfig(yaml, 'agent.yaml');
  const logger = {
    info: (line: string) => lines.push(`info ${line}`),
    warn: (line: string) => lines.push(`warn ${line}`),
  };
  sayWhatToolServersCan(config, env, logger, { pid: 30, read: (path) => processes[path] ?? '' });
  return lines;
}

const servers =
  'mcp_servers: [{ name: a, command: x }, { name: b, command: y }, { name: c, command: z, sandbox: required }';

test('servers in no sandbox are named, in one line', () => {
  expect(said(`${servers}]`, {})).toEqual([
    'info tool servers in no sandbox: "a", "b". They can do what this user can: read its files, approve calls at the port (docs/deployment.md#tool-servers-on-the-same-machine)',
  ]);
  expect(said('mcp_servers: [{ name: a, url: "http://h/" }, { name: c, command: z, sandbox: required }]', {})).toEqual(
    [],
  );
});

test('where people sign in, nobody approves at the port without', () => {
  expect(said(`${servers}]\nauth: {}`, {})).toEqual([
    expect.stringMatching(
      /^info tool servers in no sandbox: "a", "b"\. They can do what this user can: read its files \(docs/,
    ),
  ]);
});

test('a process above this one that shows a secret is named', () => {
  const line = (processes: string) =>
    expect.stringContaining(`approve calls at the port, and read keys in the environment of ${processes}; start with`);
  const env = { GEMINI_API_KEY: 'sekrit-key', VAULT_TOKEN: 'sekrit-token' };
  expect(said(`${servers}]`, env)).toEqual([line('npm (start) x (process 20)')]);
  const vault = '{ name: v, url: "https://v/", auth: static, token_env: VAULT_TOKEN }';
  expect(said(`${servers}, ${vault}]`, env)).toEqual([line('npm (start) x (process 20), ba?sh (process 10)')]);
  expect(said(`${servers}]`, { GEMINI_API_KEY: 'another', STOPGO_PUSH_KEY: ' ' })[0]).toMatch(/^info /);
  expect(said(`${servers}]`, { STOPGO_INTERNAL_TOKEN: 'sekrit-token' })).toEqual([line('ba?sh (process 10)')]);
  expect(said(`${servers}, ${vault}]`, env).join()).not.toContain('sekrit');
});
