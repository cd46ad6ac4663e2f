import { describe, expect, test } from 'vitest';
import { loadAgentConfig, parseAgentConfig } from '../src/index.ts';

const load = (source: string) => loadAgentConfig('agent.yaml', { readFile: () => source });

describe('defaults', () => {
  test.each([
    ['an empty file', ''],
    ['a file of comments', '# nothing yet\n'],
    ['keys without values', 'name:\nprompt:\nllm:\nmcp_servers:\nmcp:\nagent:\nlimits:\n'],
  ])('%s is an agent made of defaults', (_, source) => {
    const { config, warnings } = load(source);
    expect(warnings).toEqual(['agent.yaml: nothing is set in it: an agent with the usual model, and without tools']);
    expect(config).toEqual({
      name: 'agent',
      description: '',
      prompt: '',
      host: '127.0.0.1',
      port: 8080,
      dataDir: './data',
      llm: { model: 'gemini-2.5-flash', timeoutMs: 60_000 },
      mcpServers: [],
      a2a: [],
      agent: {
        type: 'llm',
        name: 'agent',
        model: 'gemini-2.5-flash',
        prompt: '',
        canExitLoop: false,
        approvalRequired: false,
        onReject: 'cancel',
        a2a: [],
      },
      unannotated: 'run',
      syncWaitMs: 120_000,
      heartbeatTtlMs: 5_000,
      maxTurns: 10,
      allowedOrigins: [],
      allowedHosts: [],
      allowHttpTokensTo: [],
      a2aRequiredExtensions: [],
      logLevel: 'info',
      logFormat: 'text',
      limits: { concurrentRuns: 1_000, openStreams: 1_000, bodyBytes: 4_194_304, messageBytes: 65_536 },
      nats: { stream: 'STOPGO', replicas: 1, acceptUnverifiedDurability: false },
      push: { allowPrivate: false },
      webhooks: [],
      takesAgentsFromGit: false,
      agentRepositories: [],
      addedRepositories: { allowPrivate: false },
      agentFolders: [],
      calling: { depthMax: 10, callsMax: 100, circlesAllowed: false },
      requireAuth: false,
    });
  });

  test('nobody can change a loaded configuration', () => {
    const { config } = load('mcp_servers: [{ name: a, command: b, env: { X: "1" } }]');
    expect(() => Object.assign(config.mcpServers[0]?.transport ?? {}, { command: 'other' })).toThrow(TypeError);
  });
});

describe('what a file can say', () => {
  test('every key is read', () => {
    const { config, warnings } = load(`
name: shop
description: Sells things
prompt: You sell things.
host: 127.0.0.1
port: 9000
data_dir: /var/lib/shop
llm: { model: claude-sonnet-4-5, timeout: 30s }
unannotated: ask
max_turns: 4
sync_wait: 2m
heartbeat_ttl: 500ms
allowed_origins: ['https://shop.example.com', 'http://localhost:3000']
allowed_hosts: [shop.internal]
public_url: https://shop.example.com/agent/
a2a_grpc_port: 9001
a2a_extended_card: { description: More of it, skills: [{ id: refund, name: Refunds }] }
a2a_required_extensions: ['https://example.com/ext/v1']
log_level: debug
log_format: json
limits: { concurrent_runs: 5, open_streams: 6, body_bytes: 2048, message_bytes: 1000 }
nats: { stream: Shop_events-1, replicas: 3, accept_unverified_durability: true }
push: { allow_private: true }
mcp_servers:
  - name: files
    command: node
    args: [server.js, --root, /srv]
    env: { MODE: safe }
    era: legacy
    unannotated: run
    approval: require
    approval_tools: [write]
    tools: { allow: ['read_*', write], deny: [read_all], prefix: f_, definition_bytes: 100000 }
    stateless: true
    timeout: 1.5
    total_timeout: 1m
    start_timeout: 10m
    concurrency: 4
    on_start_failure: degrade
    elicitation: [url]
    sampling: allow
    input_timeout: 1h
  - { name: web, url: 'https://tools.example.com/mcp', era: modern, auth: none }
`);
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      name: 'shop',
      description: 'Sells things',
      prompt: 'You sell things.',
      host: '127.0.0.1',
      port: 9000,
      dataDir: '/var/lib/shop',
      llm: { model: 'claude-sonnet-4-5', timeoutMs: 30_000 },
      unannotated: 'ask',
      maxTurns: 4,
      syncWaitMs: 120_000,
      heartbeatTtlMs: 500,
      allowedOrigins: ['https://shop.example.com', 'http://localhost:3000'],
      allowedHosts: ['shop.internal'],
      allowHttpTokensTo: [],
      publicUrl: 'https://shop.example.com/agent',
      a2aGrpcPort: 9001,
      a2aExtendedCard: { description: 'More of it', skills: [{ id: 'refund', name: 'Refunds', description: '' }] },
      a2aRequiredExtensions: ['https://example.com/ext/v1'],
      logLevel: 'debug',
      logFormat: 'json',
      limits: { concurrentRuns: 5, openStreams: 6, bodyBytes: 2_048, messageBytes: 1_000 },
      nats: { stream: 'Shop_events-1', replicas: 3, acceptUnverifiedDurability: true },
      push: { allowPrivate: true },
    });
    expect(config.mcpServers).toEqual([
      {
        name: 'files',
        transport: { kind: 'stdio', command: 'node', args: ['server.js', '--root', '/srv'], env: { MODE: 'safe' } },
        era: 'legacy',
        unannotated: 'run',
        approvalRequired: true,
        approvalTools: ['write'],
        tools: { allow: ['read_*', 'write'], deny: ['read_all'], prefix: 'f_', definitionBytesMax: 100_000 },
        stateless: true,
        timeoutMs: 1_500,
        totalTimeoutMs: 60_000,
        startTimeoutMs: 600_000,
        callsAtOnce: 4,
        onStartFailure: 'degrade',
        questions: { form: false, url: true, timeoutMs: 3_600_000 },
        sampling: true,
      },
      {
        name: 'web',
        transport: { kind: 'http', url: 'https://tools.example.com/mcp', auth: 'none' },
        era: 'modern',
        unannotated: 'ask',
        approvalRequired: false,
        stateless: false,
        timeoutMs: 30_000,
        totalTimeoutMs: 600_000,
        callsAtOnce: 8,
        onStartFailure: 'fail',
      },
    ]);
  });

  test('the old key mcp is one server named default, and says so', () => {
    const { config, warnings } = load('mcp:\n  url: http://127.0.0.1:8090/mcp\n');
    expect(config.mcpServers).toHaveLength(1);
    expect(config.mcpServers[0]).toMatchObject({
      name: 'default',
      transport: { kind: 'http', url: 'http://127.0.0.1:8090/mcp', auth: 'forward' },
    });
    expect(warnings).toEqual([expect.stringMatching(/^mcp: this key is deprecated; .*"default".*mcp_servers/)]);
  });

  test('an llm node takes its own prompt and model, else those of the top level', () => {
    const file = (node: string) => `name: top\nprompt: top prompt\nllm: { model: top-model }\nagent: ${node}\n`;
    expect(load(file('{ type: llm, prompt: own, model: own-model, name: own-name }')).config.agent).toMatchObject({
      name: 'own-name',
      prompt: 'own',
      model: 'own-model',
    });
    expect(load(file('{ output_key: answer }')).config.agent).toMatchObject({
      type: 'llm',
      name: 'top',
      prompt: 'top prompt',
      model: 'top-model',
      outputKey: 'answer',
    });
  });

  test('a tree is parsed and normalised as a whole', () => {
    const { config } = parseAgentConfig(
      `
prompt: shared
agent:
  type: sequential
  agents:
    - { name: plan, prompt: Plan., output_key: plan, a2a: [{ name: bank, url: 'https://bank.example.com/a2a', destructiveHint: true }] }
    - type: loop
      max_iterations: 0
      agents:
        - { type: parallel, agents: [{ can_exit_loop: true }, { type: a2a, url: 'http://127.0.0.1:1/a2a', prompt: '{plan}' }] }
`,
      'agent.yaml',
    );
    const bank = { name: 'bank', url: 'https://bank.example.com/a2a', description: '', destructive: true };
    expect(config.agent).toMatchObject({
      type: 'sequential',
      name: 'agent',
      agents: [
        { type: 'llm', name: 'plan', prompt: 'Plan.', outputKey: 'plan', a2a: [bank] },
        {
          type: 'loop',
          name: 'loop_2',
          maxIterations: 10,
          agents: [
            {
              type: 'parallel',
              name: 'parallel_1',
              agents: [
                { type: 'llm', name: 'llm_1', prompt: 'shared', model: 'gemini-2.5-flash', canExitLoop: true },
                { type: 'a2a', name: 'a2a_2', url: 'http://127.0.0.1:1/a2a', prompt: '{plan}', destructive: false },
              ],
            },
          ],
        },
      ],
    });
  });

  test('a node hands on whether to ask and what a rejection does, and a child may say otherwise', () => {
    const { config } = load(`
agent:
  type: sequential
  on_reject: continue
  agents:
    - { type: parallel, on_error: continue, approval: require, agents: [{ on_reject: cancel }, { type: '' }] }
    - { type: parallel, agents: [{ approval: require }] }
`);
    expect(config.agent).toMatchObject({
      approvalRequired: false,
      agents: [
        {
          onError: 'continue',
          agents: [
            { type: 'llm', approvalRequired: true, onReject: 'cancel' },
            { type: 'llm', approvalRequired: true, onReject: 'continue' },
          ],
        },
        { onError: 'fail', approvalRequired: false, agents: [{ approvalRequired: true, onReject: 'continue' }] },
      ],
    });
  });
});

describe('what the author of a tree is warned about', () => {
  const warningsOf = (tree: string) => load(`prompt: "{top}"\nagent: ${tree}`).warnings;
  const stays = (place: string, key: string) =>
    `${place}: no node before this one writes {${key}}; it stays in the prompt as it is`;

  test.each<[string, string, string[]]>([
    [
      'nothing in a tree whose placeholders are written before',
      "{ type: sequential, agents: [{ prompt: x, output_key: a }, { prompt: '{a} {a}' }] }",
      [],
    ],
    [
      'a key that is written later',
      "{ type: sequential, agents: [{ prompt: '{a}' }, { prompt: x, output_key: a }] }",
      [stays('agent.agents[0].prompt', 'a')],
    ],
    [
      'a key of a branch beside',
      "{ type: parallel, agents: [{ prompt: x, output_key: a }, { prompt: '{a}' }] }",
      [stays('agent.agents[1].prompt', 'a')],
    ],
    [
      'nothing of a key that an iteration before has written',
      "{ type: loop, output_key: b, agents: [{ type: parallel, agents: [{ prompt: '{a}{c}', output_key: c }, { prompt: x, output_key: a }] }] }",
      [],
    ],
    [
      'a key that only the loop itself writes, at its end',
      "{ type: loop, output_key: b, agents: [{ prompt: '{b}' }] }",
      [stays('agent.agents[0].prompt', 'b')],
    ],
    [
      'the prompt of the top level, by the node that uses it',
      '{ type: loop, agents: [{}] }',
      [stays('agent.agents[0]', 'top')],
    ],
    [
      'a key that no prompt can name',
      '{ type: loop, agents: [{ prompt: x, output_key: my-key }] }',
      ['agent.agents[0].output_key: no prompt can name "my-key"; use letters, digits and _ only'],
    ],
    ['nothing in one node', "{ prompt: '{a}' }", []],
  ])('%s', (_, tree, warnings) => {
    expect(warningsOf(tree)).toEqual(warnings);
  });
});
