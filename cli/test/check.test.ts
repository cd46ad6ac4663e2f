import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAgentConfig } from '@stopgo/runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sayWhoseWebhooksAreRefused } from '../src/parts/registry.ts';
import { runCaptured } from '../src/run-captured.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-check-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What `stopgo check` says of a text, with the path of the file left out. */
async function check(yaml: string, env: Readonly<Record<string, string>> = { GEMINI_API_KEY: 'k', PATH: '/bin' }) {
  const file = join(folder, 'agent.yaml');
  writeFileSync(file, yaml);
  const { code, output, errors } = await runCaptured(['check', file], env);
  expect(errors).toBe('');
  return { code, lines: output.replaceAll(file, 'FILE').trimEnd().split('\n') };
}

describe('a configuration that cannot be used', () => {
  test('is told with all of its problems, each with its place', async () => {
    const { code, lines } = await check(`name: demo
prmpt: hello
port: eighty
mcp_servers:
  - name: one
    url: http://127.0.0.1:1/mcp
    args: [x]
  - name: one
    command: sh
    timeout: forever
  - url: http://127.0.0.1:2/mcp
agent:
  type: sequential
  agents:
    - name: inner
      url: http://x
    - type: loop
`);
    expect(code).toBe(1);
    expect(lines).toEqual([
      'FILE:2:1: unknown key "prmpt"; did you mean "prompt"?',
      'FILE:3:1: port: expected a whole number from 0 to 65535, found "eighty"',
      'FILE:7:5: mcp_servers[0] "one": args is for a server with command',
      'FILE:8:5: mcp_servers: duplicate name "one"',
      'FILE:10:5: mcp_servers[1].timeout: expected a duration such as 120s, 500ms, 2m or a number of seconds, found "forever"',
      'FILE:11:5: mcp_servers[2]: name is required',
      'FILE:16:7: agent.agents[0]: url is not for a node of type "llm" (only a2a)',
      'FILE:17:7: agent.agents[1]: a node of type "loop" needs at least one entry in agents',
      'FILE: 8 problems',
    ]);
  });

  test.each([
    ['a: [', ['FILE:1:5: ', 'FILE: 1 problem']],
    [
      'llm: { model: gpt-5 }',
      ['FILE:1:8: model "gpt-5" does not say its provider: write openai:gpt-5', 'FILE: 1 problem'],
    ],
    [
      'mcp_servers:\n  - name: x\n    command: sh\n    args: [-c, "echo hi"]',
      ['FILE:3:5: mcp_servers[0] "x": "sh -c" runs a command line', 'FILE: 1 problem'],
    ],
    [
      'agent:\n  type: sequential\n  agents:\n    - name: a\n    - name: b\n      model: foo:bar',
      ['FILE:6:7: unknown LLM provider: "foo"', 'FILE: 1 problem'],
    ],
  ])('%j is refused', async (yaml, expected) => {
    const { code, lines } = await check(yaml);
    expect(code).toBe(1);
    expect(lines.map((line, index) => line.startsWith(expected[index] ?? '?'))).toEqual(expected.map(() => true));
  });

  test('is looked through for models and commands, too, wherever they are named', async () => {
    const { code, lines } = await check(`prmpt: hello
llm: { model: gpt-5 }
mcp_servers:
  - name: x
    command: sh
    args: [-c, "echo hi"]
    timeout: forever
  - command: sh
    env: { LD_PRELOAD: /tmp/x.so }
agent:
  type: sequential
  agents:
    - name: a
    - name: b
    - name: c
      model: foo:bar
    - name: d
      model: gpt-5
`);
    expect(code).toBe(1);
    expect(lines.map((line) => line.slice(0, 60))).toEqual([
      'FILE:1:1: unknown key "prmpt"; did you mean "prompt"?',
      // Once for all nodes that have none of their own.
      expect.stringMatching(/^FILE:2:8: model "gpt-5" does not say its provider/),
      expect.stringMatching(/^FILE:5:5: mcp_servers\[0\] "x": "sh -c" runs a command line/),
      expect.stringMatching(/^FILE:7:5: mcp_servers\[0\]\.timeout: expected a duration/),
      'FILE:8:5: mcp_servers[1]: name is required',
      expect.stringMatching(/^FILE:8:5: mcp_servers\[1\]: env sets LD_PRELOAD/),
      expect.stringMatching(/^FILE:16:7: unknown LLM provider: "foo"/),
      expect.stringMatching(/^FILE:18:7: model "gpt-5" does not say its provider/),
      'FILE: 8 problems',
    ]);
  });

  test('is told of the old key as it is written, and no secret that stands in the place of a name', async () => {
    const { lines } = await check(`mcp:
  command: sh
  args: [-c, "echo hi"]
`);
    expect(lines[0]).toMatch(/^FILE:2:3: mcp "default": "sh -c" runs a command line/);
    const secret = await check(`mcp_servers:
  - { name: a, url: 'http://127.0.0.1:1/mcp', auth: static, token_env: sk-live-0123456789 }
`);
    expect(secret.lines.join()).not.toContain('sk-live');
  });

  test('tells a tag that has no meaning here', async () => {
    const { lines } = await check('name: demo\nprompt: !!js/function "x"\n');
    expect(lines[0]).toBe('note: FILE:2:9: the tag !!js/function is not known; what follows it is read as plain data');
  });

  test('a file that is not there, and hidden characters in one, are one line', async () => {
    const absent = await runCaptured(['check', join(folder, 'no\u001b[2J.yaml')]);
    expect(absent.code).toBe(1);
    expect(absent.output).toMatch(/no\\u\{1b\}\[2J\.yaml: there is no such file/);
    expect(absent.output).not.toContain('\u001b');
  });
});

test('what is odd, but allowed, is noted, and the file is sound', async () => {
  const yaml = `name: demo
host: 0.0.0.0
llm: { model: claude-sonnet-5-5 }
mcp_servers:
  - { name: one, command: no-such-program }
  - { name: two, url: 'http://127.0.0.1:1/mcp', auth: static, token_env: ONE_TOKEN }
a2a:
  - name: far
    url: http://far.example/
    token_origins: ["http://far.example"]
agent:
  type: sequential
  agents:
    - { name: first, prompt: "say {nothing}" }
`;
  const { code, lines } = await check(yaml, { PATH: folder });
  expect(code).toBe(0);
  expect(lines.map((line) => line.slice(0, 70))).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^note: FILE:14:22: agent\.agents\[0\]\.prompt: no node before/),
      expect.stringMatching(/^note: FILE:3:8: ANTHROPIC_API_KEY environment variable not set/),
      expect.stringMatching(/^note: FILE:5:18: mcp_servers\[0\] "one": there is no program/),
      expect.stringMatching(/^note: FILE:6:5: mcp_servers\[1\] "two": the environment variable ONE_TOK/),
      expect.stringMatching(/^note: FILE: agent "far" is shown no token/),
      expect.stringMatching(/^note: FILE:2:1: host 0\.0\.0\.0 is listened on/),
      expect.stringMatching(/^FILE: sound; the agent demo with 2 tool servers, on 0\.0\.0\.0:8080/),
    ]),
  );
});

test('a folder of a sandbox inside data_dir is a problem, and one that is not there is noted', async () => {
  const { code, lines } = await check(`data_dir: ${folder}/data
mcp_servers:
  - name: one
    command: sh
    sandbox: required
    folders: [${folder}/none]
    write_folders:
      - ${folder}
      - ${folder}/data/x
`);
  expect(code).toBe(1);
  expect(lines).toEqual([
    `FILE:9:9: mcp_servers[0] "one": its folder ${folder}/data/x is in ${folder}/data, where the platform keeps its own data or keys; name another one`,
    `note: FILE:6:15: mcp_servers[0] "one": its folder ${folder}/none is not there; make it`,
    'FILE: 1 problem',
  ]);
});

describe('secrets of the environment', () => {
  const yaml = `host: 0.0.0.0
webhooks:
  - name: finance
    url: https://hooks.example.com/
    secret_env: FINANCE_SECRET
auth:
  jwt:
    issuer: https://id.example
    audience: stopgo
    secret_env: JWT_SECRET
`;
  const secretsOf = async (env: Readonly<Record<string, string>>) => {
    const { code, lines } = await check(yaml, { GEMINI_API_KEY: 'k', PATH: '/bin', ...env });
    return { code, lines: lines.slice(0, -1) };
  };

  test('that are not set are noted, with their place and what to do', async () => {
    expect(await secretsOf({})).toEqual({
      code: 0,
      lines: [
        'note: FILE:5:5: webhooks[0].secret_env: FINANCE_SECRET must hold whsec_ and 24 to 64 bytes in base64, and is not set; make one with `echo whsec_$(openssl rand -base64 32)`',
        'note: FILE:10:5: auth.jwt.secret_env: JWT_SECRET must hold a secret of at least 32 bytes, and is not set; make one with `openssl rand -hex 32`',
      ],
    });
  });

  test('that a start would refuse are problems, and not repeated', async () => {
    const { code, lines } = await secretsOf({ FINANCE_SECRET: 'hunter2hunter2', JWT_SECRET: 'tooshorttooshort' });
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^FILE:5:5: webhooks\[0\]\.secret_env: FINANCE_SECRET .* holds something else;/),
      expect.stringMatching(/^FILE:10:5: auth\.jwt\.secret_env: JWT_SECRET .* is shorter;/),
    ]);
    expect(lines.join()).not.toMatch(/hunter2|tooshort/);
  });

  test('that are right need no word', async () => {
    const env = { FINANCE_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`, JWT_SECRET: 'x'.repeat(32) };
    expect(await secretsOf(env)).toEqual({ code: 0, lines: [] });
  });

  test.each([undefined, 'no JSON', '{"keys": 5}'])('a file of keys that holds %j is a problem', async (content) => {
    const path = join(folder, 'keys.json');
    if (content !== undefined) writeFileSync(path, content);
    const jwt = `auth:\n  jwt:\n    issuer: i\n    audience: a\n    keys_file: ${path}\n`;
    const { code, lines } = await check(jwt);
    expect(code).toBe(1);
    expect(lines[0]).toMatch(
      /^FILE:5:5: auth\.jwt\.keys_file: .*keys\.json cannot be used .*; put the JSON Web Key Set/,
    );
    writeFileSync(path, '{"keys": []}');
    expect((await check(jwt)).code).toBe(0);
  });
});

describe('init', () => {
  test('writes a configuration that is sound, and says what comes next', async () => {
    const into = join(folder, 'new agent');
    const { code, output, errors } = await runCaptured(['init', into]);
    expect([code, errors]).toEqual([0, '']);
    expect(readdirSync(into)).toEqual(['agent.yaml']);
    const file = join(into, 'agent.yaml');
    for (const next of [
      `npx stopgo check '${file}'`,
      `npm start -- --demo --config '${file}'`,
      'npx stopgo approve UUID',
    ])
      expect(output).toContain(next);
    const checked = await runCaptured(['check', file], { GEMINI_API_KEY: 'k', PATH: process.env.PATH ?? '' });
    expect(checked.output).toMatch(
      /sound; the agent my-agent with 1 tool server, on 127\.0\.0\.1:8080, data in \S+.*\n$/,
    );
    expect(checked.output).not.toContain('note:');
    expect(checked.code).toBe(0);
  });

  test.skipIf(process.platform !== 'linux')('names a folder that cannot be made', async () => {
    expect(await runCaptured(['init', '/proc/no/such'])).toEqual({
      code: 1,
      output: '',
      errors:
        "stopgo: the directory /proc/no/such cannot be made: ENOENT: no such file or directory, mkdir '/proc/no'\n",
    });
  });

  test('never changes a file that is there', async () => {
    const into = join(folder, 'mine');
    mkdirSync(into);
    writeFileSync(join(into, 'agent.yaml'), 'mine');
    const { code, output, errors } = await runCaptured(['init', into]);
    expect([code, output]).toEqual([1, '']);
    expect(errors).toBe(`stopgo: ${join(into, 'agent.yaml')} is there already; it was left as it is\n`);
    expect(readFileSync(join(into, 'agent.yaml'), 'utf8')).toBe('mine');
  });
});

describe('repositories of agents', () => {
  const repositories = (entry: string) => `agent_repositories:\n  - { name: main, ${entry} }\n`;

  test('an address that git may not reach is a problem at its place', async () => {
    const { code, lines } = await check(repositories('git_url: git://example.org/agents.git'));
    expect(code).toBe(1);
    expect(lines[0]).toMatch(/^FILE:2:\d+: agent_repositories\[0\]\.git_url: has the protocol git; use https or ssh$/u);
  });

  test('a folder that is not there, or that agent_folders do not allow, is told with what to do', async () => {
    const [own, gone] = [join(folder, 'own'), join(folder, 'gone')];
    mkdirSync(own);
    const said = async (path: string) => (await check(repositories(`git_url: ${JSON.stringify(path)}`))).lines[0];
    expect(await said(own)).toMatch(
      /^note: FILE:2:\d+: agent_repositories\[0\]: git_url names .*which is below none of agent_folders; name it there/u,
    );
    expect(await said(gone)).toContain('which is not there');
    const allowed = await check(`agent_folders: [${JSON.stringify(folder)}]\n${repositories(`git_url: ${own}`)}`);
    expect(allowed).toMatchObject({ code: 0, lines: [expect.stringContaining('sound; ')] });
  });

  test('a secret of webhooks that is not set is told here and at the start', async () => {
    const text = repositories('git_url: https://example.org/a.git, webhook_secret: env(HOOK)');
    expect((await check(text)).lines[0]).toMatch(/^note: FILE:2:\d+: agent_repositories\[0\]\.webhook_secret: HOOK /u);
    const { config } = parseAgentConfig(text, 'agent.yaml');
    const lines: string[] = [];
    const log = { warn: (line: string) => lines.push(line) };
    for (const HOOK of [undefined, ' ', 'it is set']) sayWhoseWebhooksAreRefused(config, { HOOK }, log);
    const line = expect.stringMatching(
      /^agent repository main takes no webhooks: HOOK is not set, .*; set it and restart$/u,
    );
    expect(lines).toEqual([line, line]);
  });
});
