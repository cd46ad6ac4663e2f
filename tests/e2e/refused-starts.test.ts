import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { startRefused, type Workplace, workplace } from './platform.ts';
import { noneLeftOf } from './processes.ts';

/** What a start says of a configuration that it does not take: clear lines, and nothing is left. */
let model: ScriptedModel;

beforeAll(async () => {
  model = await scriptedModel();
});

afterAll(() => model.stop());

/** A configuration without tools, with these lines of YAML in it. */
const config = (lines: string, { dataDir }: Workplace) => `
host: 127.0.0.1
port: 0
data_dir: ${JSON.stringify(dataDir)}
${lines}`;

/** What is wrong, the configuration, what the error output must say. Everything it says is in these lines. */
const refusedFiles: readonly (readonly [string, (own: Workplace) => string, readonly RegExp[]])[] = [
  ['malformed YAML', () => 'name: [a', [/^Failed to load config: failed to parse config file: \S+agent\.yaml:1:\d+: /]],
  ['not a mapping', () => '- a', [/^Failed to load config: .*expected a mapping of keys, found a list$/]],
  ['an unknown key', (own) => config('promt: x', own), [/agent\.yaml: unknown key "promt"; did you mean "prompt"\?$/]],
  [
    'wrong types, each told',
    () => 'name: 42\nport: 80a\nsync_wait: soon',
    [
      /name: expected text, found the number 42/,
      /port: expected a whole number from 0 to 65535, found "80a"$/,
      /sync_wait: expected a duration .*found "soon"$/,
    ],
  ],
  [
    'a rule that names a webhook that is not there, and one at an address of our own',
    (own) =>
      config(
        'webhooks: [{ name: ops, url: "https://10.0.0.1/", secret_env: OPS_SECRET }]\napprovals: { rules: [{ name: a, verdict: ask, notify: [opps] }] }',
        own,
      ),
    [
      /approvals\.rules\[0\]\.notify\[0\]: rule "a": there is no webhook "opps"; did you mean ops\?$/,
      /webhooks\[0\]\.url: is not of the public network; add allow_private: true/,
    ],
  ],
  [
    'a webhook without its secret',
    (own) => config('webhooks: [{ name: ops, url: "https://hooks.example.com/", secret_env: OPS_SECRET }]', own),
    [/webhooks\[0\]\.secret_env: OPS_SECRET must hold whsec_ and 24 to 64 bytes in base64, and is not set/],
  ],
  [
    'links where nobody signs in and nobody knows the address, and for what is no user',
    (own) =>
      config(
        'webhooks: [{ name: ops, url: "https://hooks.example.com/", secret_env: OPS_SECRET, link_for: ops team }]',
        own,
      ),
    [
      /webhooks\[0\]\.link_for: expected an e-mail address, such as ana@example\.com$/,
      /webhooks\[0\]\.link_for: needs auth and public_url to be set$/,
    ],
  ],
  ['a missing name', (own) => config('mcp_servers: [{command: node}]', own), [/mcp_servers\[0\]: name is required$/]],
  [
    'both url and command',
    (own) => config('mcp_servers: [{name: a, command: node, url: "http://127.0.0.1:1/mcp"}]', own),
    [/mcp_servers\[0\] "a": set either url or command$/],
  ],
  [
    'neither url nor command',
    (own) => config('mcp_servers: [{name: a}]', own),
    [/mcp_servers\[0\] "a": set either url or command$/],
  ],
  [
    'mcp beside mcp_servers',
    (own) => config('mcp: {url: "http://127.0.0.1:1/mcp"}\nmcp_servers: [{name: a, command: node}]', own),
    [/mcp: cannot stand beside mcp_servers/],
  ],
  [
    'a provider that is not known',
    (own) => config('llm: {model: "cohere:command"}', own),
    [
      /^Failed to start agent: failed to initialize LLM client: unknown LLM provider: "cohere" \(known: google, .*, ollama\)$/,
    ],
  ],
  [
    'models of a tree that cannot be asked, each told',
    (own) =>
      config('agent: {type: sequential, agents: [{model: "groq:"}, {model: "x:y"}, {model: gpt-5}, {model: m}]}', own),
    [
      /LLM client: model "groq:": the name after "groq:" is missing; unknown LLM provider: "x" \(known: .*\); model "gpt-5" .* write openai:gpt-5$/,
    ],
  ],
  [
    'a tree that is none, each fault with its place',
    (own) => config('agent: {type: parallel, agents: [{name: a}, {name: a}, {type: loop}, {type: odd}]}', own),
    [
      /agent\.agents\[3\]\.type: expected llm, .*found text$/,
      /agent\.agents: duplicate name "a"$/,
      /agent\.agents\[2\]: a node of type "loop" needs at least one entry in agents$/,
    ],
  ],
];

test.concurrent.each(refusedFiles)(
  '%s is refused in one clear line each, with nothing left',
  async (_, yaml, lines) => {
    const own = workplace();
    const { code, errors } = await startRefused(own, yaml(own), { env: model.env });
    const said = errors.trimEnd().split('\n');
    expect(said).toHaveLength(lines.length);
    for (const [index, line] of lines.entries()) expect(said[index]).toMatch(line);
    expect(code).toBe(1);
    await noneLeftOf(own.folder);
    own.remove();
  },
);

test.concurrent.each([
  ['gemini-2.5-flash', 'GEMINI_API_KEY'],
  ['claude-sonnet-4-5', 'ANTHROPIC_API_KEY'],
  ['openai:gpt-5', 'OPENAI_API_KEY'],
  ['mistral:mistral-large-latest', 'MISTRAL_API_KEY'],
  ['groq:openai/gpt-oss-120b', 'GROQ_API_KEY'],
  ['openrouter:deepseek/deepseek-r1:free', 'OPENROUTER_API_KEY'],
])('%s without %s is refused by name, with no fallback', async (name, variable) => {
  const own = workplace();
  const env = { ...model.env, [variable]: '' };
  const yaml = config(`llm: {model: ${JSON.stringify(name)}}`, own);
  const { code, errors, output } = await startRefused(own, yaml, { env });
  expect(errors).toBe(
    `Failed to start agent: failed to initialize LLM client: ${variable} environment variable not set (needed by model "${name}")\n`,
  );
  expect(output).not.toContain('every answer comes from');
  expect(output).toContain('to try this agent without one, add --demo');
  expect(code).toBe(1);
  await noneLeftOf(own.folder);
  own.remove();
});

test.each([
  ['require_auth: true', {}, /require_auth is true, host is 0\.0\.0\.0, and the configuration has no "auth"/],
  ['', { STOPGO_REQUIRE_AUTH: 'true' }, /STOPGO_REQUIRE_AUTH is true/],
  [
    'auth: { jwt: { issuer: a, audience: b, secret_env: JWT_SECRET } }',
    { JWT_SECRET: 'short' },
    /at least 32 bytes, and is shorter/,
  ],
  ['auth: { jwt: { issuer: a, audience: b } }', {}, /needs one of secret_env, keys_url and keys_file/],
  ['auth: { jwt: { issuer: a, audience: b, keys_file: /nowhere } }', {}, /keys_file: \/nowhere cannot be used/],
])('where people are to sign in and nobody can: %s %j is refused in one line', async (more, env, words) => {
  const other = workplace();
  const config = `host: 0.0.0.0\nport: 0\ndata_dir: ${JSON.stringify(other.dataDir)}\n${more}\n`;
  const { code, errors, output } = await startRefused(other, config, { env: { ...model.env, ...env } });
  expect([code === 0, `${errors}${output}`]).toEqual([false, expect.stringMatching(words)]);
  other.remove();
});
