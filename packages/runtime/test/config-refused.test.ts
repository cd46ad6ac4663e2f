import { describe, expect, test } from 'vitest';
import { ConfigError, loadAgentConfig } from '../src/index.ts';

/** The problems that a file is refused with. */
function problemsOf(source: string): readonly string[] {
  try {
    loadAgentConfig('agent.yaml', { readFile: () => source });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const NODE_TYPES = 'llm, sequential, parallel, loop or a2a';
const DURATION = 'expected a duration such as 120s, 500ms, 2m or a number of seconds';

describe('what is refused, with one line each', () => {
  test.each<[string, string, string[]]>([
    ['a server without a name', 'mcp_servers: [{ command: x }]', ['mcp_servers[0]: name is required']],
    [
      'a server with an empty name',
      'mcp_servers: [{ name: "", url: "http://h/" }]',
      ['mcp_servers[0]: name is required'],
    ],
    [
      'a name used three times, told once',
      'mcp_servers: [{ name: resources, command: x }, { name: resources, command: y }, { name: resources, command: z }]',
      ['mcp_servers: duplicate name "resources"'],
    ],
    [
      'a name in which something is hidden',
      'name: "pay\\u200bments"',
      ['name: must not hold control characters, or characters that nobody sees'],
    ],
    [
      'half a character in a name',
      'agent: { type: sequential, name: "\\uD800x", agents: [{ name: a, prompt: "\\uDC00" }] }',
      [
        'agent.name: holds half of a surrogate pair, which is no character',
        'agent.agents[0].prompt: holds half of a surrogate pair, which is no character',
      ],
    ],
    ['neither url nor command', 'mcp_servers: [{ name: a }]', ['mcp_servers[0] "a": set either url or command']],
    [
      'both url and command',
      'mcp_servers: [{ name: z, command: x }, { name: a, command: x, url: "http://h/" }]',
      ['mcp_servers[1] "a": set either url or command'],
    ],
    [
      'args beside url',
      'mcp_servers: [{ name: a, url: "http://h/", args: [x] }]',
      ['mcp_servers[0] "a": args is for a server with command'],
    ],
    [
      'a limit for a whole call that is shorter than one for a part of it',
      'mcp_servers: [{ name: a, command: x, total_timeout: 5s }, { name: b, command: x, timeout: 2m, total_timeout: 90 }, { name: c, command: x, timeout: 1h }, { name: d, command: x, total_timeout: 30s }]',
      [
        'mcp_servers[0] "a": total_timeout is 5s, which is shorter than timeout, 30s (the default); set it to at least that, or shorten timeout',
        'mcp_servers[1] "b": total_timeout is 90, which is shorter than timeout, 2m; set it to at least that, or shorten timeout',
      ],
    ],
    [
      'auth beside command',
      'mcp_servers: [{ name: a, command: x, auth: none }]',
      ['mcp_servers[0] "a": auth is for a server with url'],
    ],
    [
      'static without a variable',
      'mcp_servers: [{ name: a, url: "http://h/", auth: static }]',
      ['mcp_servers[0] "a": auth: static needs token_env'],
    ],
    [
      'a secret where its variable is to be named',
      'mcp_servers: [{ name: a, url: "http://h/", auth: static, token_env: sk-secret-1 }]',
      [
        'mcp_servers[0].token_env: expected the name of an environment variable, in capital letters, digits and _ (never the secret itself)',
      ],
    ],
    [
      'client credentials without all that they need',
      'mcp_servers: [{ name: a, url: "http://h/", auth: client_credentials, client_id_env: ID, token_env: T }]',
      [
        'mcp_servers[0] "a": token_env is for a server with auth: static',
        'mcp_servers[0] "a": auth: client_credentials needs client_secret_env',
        'mcp_servers[0] "a": auth: client_credentials needs issuer or token_url',
      ],
    ],
    ['mcp with neither', 'mcp: { args: [x] }', ['mcp "default": set either url or command']],
    [
      'mcp beside mcp_servers',
      'mcp: { command: x }\nmcp_servers: []',
      ['mcp: cannot stand beside mcp_servers; move it into that list as an entry with a name'],
    ],
    ['an unknown key', 'promt: hello', ['unknown key "promt"; did you mean "prompt"?']],
    ['a key in another spelling', 'mcpServers: []', ['unknown key "mcpServers"; did you mean "mcp_servers"?']],
    ['an unknown key further in', 'llm: { modle: x }', ['llm: unknown key "modle"; did you mean "model"?']],
    [
      'an unknown key far from all',
      'limits: { zzzzzz: 1 }',
      ['limits: unknown key "zzzzzz"; known: concurrent_runs, open_streams, body_bytes, message_bytes'],
    ],
    ['a number for a text', 'name: 42', ['name: expected text, found the number 42 (put it in quotes: "42")']],
    ['a boolean for a text', 'prompt: true', ['prompt: expected text, found true (put it in quotes: "true")']],
    ['a list for a text', 'prompt: [a]', ['prompt: expected text, found a list']],
    [
      'a mapping for a list',
      'mcp_servers: { a: 1 }',
      ['mcp_servers: expected a list, found a mapping; begin each entry with "- "'],
    ],
    [
      'a text for a list',
      'mcp_servers: [{ name: a, command: x, args: --token }]',
      [
        'mcp_servers[0].args: expected a list, found text; write it in brackets, [ and ], or begin each entry with "- "',
      ],
    ],
    ['a text for a mapping', 'llm: gemini', ['llm: expected a mapping, found text']],
    ['nothing for an entry', 'mcp_servers: [~]', ['mcp_servers[0]: expected a mapping, found nothing']],
    [
      'a text for a number',
      'port: "8080"',
      ['port: expected a whole number from 0 to 65535, found "8080" (write it without quotes)'],
    ],
    ['a number out of range', 'port: 65536', ['port: expected a whole number from 0 to 65535, found the number 65536']],
    ['half a number', 'max_turns: 1.5', ['max_turns: expected a whole number from 1 to 100, found the number 1.5']],
    [
      'yes for true',
      'mcp_servers: [{ name: a, command: x, stateless: yes }]',
      ['mcp_servers[0].stateless: expected true or false, found "yes"'],
    ],
    [
      'a misspelled word',
      'mcp_servers: [{ name: a, command: x, era: legcy }]',
      ['mcp_servers[0].era: expected auto, legacy or modern, found "legcy"; did you mean "legacy"?'],
    ],
    [
      'a credential in the place of a word',
      'mcp_servers: [{ name: a, url: "http://h/", auth: bearer-sekret-123 }]',
      ['mcp_servers[0].auth: expected forward, oauth, none, static or client_credentials, found text'],
    ],
    [
      'a credential in the place of a number',
      'port: bearer-sekret-123',
      ['port: expected a whole number from 0 to 65535, found text'],
    ],
    ['a credential in the place of a duration', 'sync_wait: bearer-sekret-123', [`sync_wait: ${DURATION}, found text`]],
    ['another word', 'unannotated: maybe', ['unannotated: expected ask or run, found text']],
    ['no duration', 'sync_wait: soon', [`sync_wait: ${DURATION}, found "soon"`]],
    ['a duration too long', 'llm: { timeout: 2h }', ['llm.timeout: must be from 1ms to 1h, found 2h']],
    [
      'no url',
      'public_url: example.com',
      ['public_url: expected an http or https URL, such as https://agent.example.com'],
    ],
    [
      'no url of a tool server',
      'mcp_servers: [{ name: a, url: there }]',
      ['mcp_servers[0].url: expected an http or https URL, such as http://127.0.0.1:8090/mcp'],
    ],
    [
      'no url of an agent',
      'a2a: [{ name: a, url: there }]',
      ['a2a[0].url: expected an http or https URL, such as http://127.0.0.1:8081, where an A2A agent has its card'],
    ],
    [
      'one port for two',
      'port: 9000\na2a_grpc_port: 9000',
      ['a2a_grpc_port: is 9000, as port is; HTTP and gRPC need a port each'],
    ],
    [
      'the port that is the default',
      'a2a_grpc_port: 8080',
      ['a2a_grpc_port: is 8080, as port is; HTTP and gRPC need a port each'],
    ],
    [
      'a password in a url',
      'mcp_servers: [{ name: a, url: "https://u:hunter22@h/" }]',
      ['mcp_servers[0].url: must not hold a user name or a password: addresses are logged'],
    ],
    [
      'a path in an origin',
      'allowed_origins: ["https://a.example/x"]',
      ['allowed_origins[0]: expected an origin such as https://app.example.com, without a path or a slash at the end'],
    ],
    [
      'a port in a host',
      'allowed_hosts: ["a.example:80"]',
      [
        'allowed_hosts[0]: expected name or name:port, the name in lower case, without scheme or path (and without :80, the default port)',
      ],
    ],
    [
      'a wildcard for hosts',
      'allowed_hosts: ["*", "*.example.com"]',
      [0, 1].map((at) => `allowed_hosts[${at}]: there are no wildcards: list each name that is to be answered`),
    ],
    ['a dot in a stream', 'nats: { stream: a.b }', ['nats.stream: expected 1 to 64 letters, digits, - or _']],
    ['a long stream', `nats: { stream: ${'a'.repeat(65)} }`, ['nats.stream: expected 1 to 64 letters, digits, - or _']],
    [
      'too many replicas',
      'nats: { replicas: 6 }',
      ['nats.replicas: expected a whole number from 1 to 5, found the number 6'],
    ],
    [
      'an address in the file',
      'nats: { url: "nats://h" }',
      ['nats: unknown key "url"; known: stream, replicas, accept_unverified_durability'],
    ],
    [
      'an unknown type of node',
      'agent: { type: paralel }',
      [`agent.type: expected ${NODE_TYPES}, found "paralel"; did you mean "parallel"?`],
    ],
    [
      'what nodes take of tools, by names that nobody has',
      'mcp_servers: [{ name: files, command: x }]\nagent: { type: loop, tools: [a], agents: [{ name: a, mcp_servers: [web, files] }] }',
      [
        'agent: tools is not for a node of type "loop" (only llm)',
        'agent.agents[0].mcp_servers[0]: there is no tool server "web"; known: "files"',
      ],
    ],
    [
      'patterns and prefixes of tools that are none',
      'mcp_servers: [{ name: files, command: x, tools: { allow: a, deny: [""], prefix: "7 up", only: [b] } }]',
      [
        'mcp_servers[0].tools.allow: expected a list, found text; write it in brackets, [ and ], or begin each entry with "- "',
        'mcp_servers[0].tools.deny[0]: must not be empty',
        'mcp_servers[0].tools.prefix: expected 1 to 32 letters, digits, _ or -, beginning with a letter or _',
        'mcp_servers[0].tools: unknown key "only"; known: allow, deny, prefix, definition_bytes',
      ],
    ],
    ['no children', 'agent: { type: loop }', ['agent: a node of type "loop" needs at least one entry in agents']],
    [
      'a key of another type',
      'agent: { type: sequential, prompt: x, agents: [{ prompt: y }] }',
      ['agent: prompt is not for a node of type "sequential" (only llm, a2a)'],
    ],
    [
      'a remote node without url',
      'agent: { type: parallel, agents: [{ type: a2a }] }',
      ['agent.agents[0]: url is required'],
    ],
    [
      'what a remote node cannot have',
      'agent: { type: a2a, name: "", url: "ftp://h", destructiveHint: maybe, model: m, can_exit_loop: true, agents: [{}], a2a: [{ name: b, url: "http://h/" }], on_error: fail }',
      [
        'agent: name is required',
        'agent.url: expected an http or https URL, such as http://127.0.0.1:8081, where an A2A agent has its card',
        'agent.destructiveHint: expected true or false, found "maybe"',
        'agent: agents is not for a node of type "a2a" (only sequential, parallel, loop)',
        'agent: can_exit_loop is not for a node of type "a2a" (only llm)',
        'agent: a2a is not for a node of type "a2a" (only llm)',
        'agent: model is not for a node of type "a2a" (only llm)',
        'agent: on_error is not for a node of type "a2a" (only parallel)',
      ],
    ],
    ['a remote agent without name and url', 'a2a: [{}]', ['a2a[0]: name is required', 'a2a[0]: url is required']],
    [
      'children of the same name, given or by place',
      'agent: { type: parallel, agents: [{ name: a }, { name: a }, { type: loop, agents: [{ name: llm_2 }, {}] }] }',
      ['agent.agents: duplicate name "a"', 'agent.agents[2].agents: duplicate name "llm_2"'],
    ],
    [
      'what to do about errors where nothing runs side by side',
      'agent: { type: loop, on_error: continue, agents: [{}] }',
      ['agent: on_error is not for a node of type "loop" (only parallel)'],
    ],
    [
      'more nodes than a tree may have',
      `agent: { type: loop, agents: [${'{ prompt: x }, '.repeat(256)}] }`,
      ['agent: the tree has more than 256 nodes'],
    ],
    [
      'a list as the file',
      '- a',
      ['failed to parse config file: agent.yaml: expected a mapping of keys, found a list'],
    ],
    [
      'the same key twice',
      'name: a\nname: b',
      ['failed to parse config file: agent.yaml:2:1: the key "name" stands here twice; remove one'],
    ],
    [
      'two documents',
      'name: a\n---\nname: b',
      ['failed to parse config file: agent.yaml:2:1: only one document is allowed; remove the line ---'],
    ],
    [
      'a tab',
      'llm:\n\tmodel: x',
      ['failed to parse config file: agent.yaml:2:1: Tabs are not allowed as indentation; use spaces'],
    ],
  ])('%s', (_, source, problems) => {
    expect(problemsOf(source)).toEqual(problems);
  });

  test('all problems of a file at once', () => {
    const problems = problemsOf(`
promt: hello
prot: 80
name: 7
mcp: { command: x }
mcp_servers:
  - { command: x }
  - { name: a }
  - { name: a, command: y, timeout: never }
agent: { type: tree, agents: [{ type: a2a }] }
`);
    expect(problems.toSorted()).toEqual([
      `agent.agents[0]: url is required`,
      `agent.type: expected ${NODE_TYPES}, found text`,
      'mcp: cannot stand beside mcp_servers; move it into that list as an entry with a name',
      'mcp_servers: duplicate name "a"',
      'mcp_servers[0]: name is required',
      'mcp_servers[1] "a": set either url or command',
      `mcp_servers[2].timeout: ${DURATION}, found "never"`,
      'name: expected text, found the number 7 (put it in quotes: "7")',
      'unknown key "promt"; did you mean "prompt"?',
      'unknown key "prot"; did you mean "port"?',
    ]);
  });

  test('a tree deeper than the limit, however deep', () => {
    const depth = 200;
    const tree = `${'{ type: loop, agents: ['.repeat(depth)}{ prompt: x }${'] }'.repeat(depth)}`;
    expect(problemsOf(`agent: ${tree}`)).toEqual([expect.stringMatching(/the tree is deeper than 32 levels$/)]);
  });

  test('a tree whose prompts do not fit the append that records it, also if they are all the same', () => {
    const nodes = Array.from({ length: 255 }, () => '{}').join(', ');
    const source = (prompt: string) => `prompt: ${prompt}\nagent: { type: parallel, agents: [${nodes}] }`;
    expect(problemsOf(source('x'.repeat(1_000)))).toEqual([]);
    expect(problemsOf(source('x'.repeat(2_000)))).toEqual([
      expect.stringMatching(/^agent: names, models and prompts of all nodes take \d+ bytes, more than 458752; /),
    ]);
  });

  test('a tree that contains itself', () => {
    expect(problemsOf('agent: &tree { type: loop, agents: [*tree] }')).toEqual([
      'failed to parse config file: agent.yaml: it is nested too deeply, or an anchor contains itself',
    ]);
  });

  test('aliases that blow up', () => {
    const lines = Array.from({ length: 12 }, (_, i) => `  - &a${i + 1} [*a${i}, *a${i}, *a${i}, *a${i}]`);
    expect(problemsOf(`x:\n  - &a0 [z]\n${lines.join('\n')}`)).toEqual([
      expect.stringMatching(/^failed to parse config file: agent\.yaml: Excessive alias count/),
    ]);
  });

  test.each([
    [
      'ENOENT',
      'failed to read config file: agent.yaml: there is no such file; is its path right? "stopgo init" writes one to begin with',
    ],
    ['EACCES', 'failed to read config file: agent.yaml: permission denied'],
    ['EISDIR', 'failed to read config file: agent.yaml: is a folder, not a file'],
    ['EIO', 'failed to read config file: agent.yaml: the disk said EIO'],
  ])('a file that cannot be read: %s', (code, problem) => {
    const readFile = () => {
      throw Object.assign(new Error(`the disk said ${code}`), { code });
    };
    expect(() => loadAgentConfig('agent.yaml', { readFile })).toThrow(new ConfigError('agent.yaml', [problem]));
  });

  test('the report of a program names the file once in every line', () => {
    const report = (source: string) => {
      try {
        loadAgentConfig('my.yaml', { readFile: () => source });
      } catch (error) {
        if (error instanceof ConfigError) return error.report();
      }
      return '';
    };
    expect(report('port: x\nmcp_servers: [{ command: y }]')).toBe(
      'Failed to load config: my.yaml: port: expected a whole number from 0 to 65535, found "x"\n' +
        'Failed to load config: my.yaml: mcp_servers[0]: name is required',
    );
    expect(
      report("name: a\napprovals:\n  rules:\n    - { name: pay, tool: '*', verdict: ask, when: args.amount > }"),
    ).toBe(
      'Failed to load config: my.yaml:4:45: approvals.rules[0].when: rule "pay": found > but expecting end of input (character 13 of it)',
    );
    expect(report('[]')).toMatch(/^Failed to load config: failed to parse config file: my\.yaml: expected a mapping/);
  });

  test('a text in a wrong place may be a credential, so it is not repeated', () => {
    const secret = 'sk-live-0123456789';
    for (const file of [
      `llm: ${secret}`,
      `limits: ${secret}`,
      `mcp_servers: ${secret}`,
      `mcp_servers: [{ name: a, command: x, env: ${secret} }]`,
      `public_url: ${secret}`,
    ]) {
      expect(problemsOf(file).join()).not.toContain(secret);
    }
  });
});
