import { describe, expect, test } from 'vitest';
import { ConfigError, parseAgentConfig } from '../src/index.ts';

/** Slips of a hand that writes YAML: what is said of each, and where. */
function problemsOf(source: string): readonly string[] {
  try {
    parseAgentConfig(source, 'agent.yaml');
  } catch (error) {
    if (error instanceof ConfigError)
      return error.problems.map((problem) => problem.replace('failed to parse config file: agent.yaml:', ''));
    throw error;
  }
  return [];
}

const same = 'keys of the same mapping begin at the same column';

describe('a key that is well-formed and at the wrong depth is told where it belongs', () => {
  test.each<[string, string, string[]]>([
    ['beside its mapping', 'llm:\nmodel: claude-x\n', ['unknown key "model"; it is a key of "llm": indent it further']],
    [
      'beside the list that it belongs into',
      'mcp_servers:\n  - name: a\n    command: x\nargs: [y]\n',
      ['unknown key "args"; it is a key of the entries of "mcp_servers": indent it further'],
    ],
    [
      'far from where it could belong',
      'timeout: 3s\n',
      ['unknown key "timeout"; it is a key of "llm" and of the entries of "mcp_servers": indent it further, below it'],
    ],
    [
      'nearer to another',
      'llm:\n  model: claude-x\nagent:\n  name: a\nmodel: claude-x\n',
      ['unknown key "model"; it is a key of "agent": indent it further'],
    ],
    [
      'which also looks like another key',
      'agent:\n  type: sequential\nagents:\n  - prompt: a\n',
      [
        'unknown key "agents"; it is a key of "agent": indent it further; or did you mean "agent"?',
        'agent: a node of type "sequential" needs at least one entry in agents',
      ],
    ],
    [
      'within a mapping',
      'llm:\n  port: 80\n',
      ['llm: unknown key "port"; it is a key of the top level: indent it less'],
    ],
    [
      'within an entry',
      'mcp_servers:\n  - name: a\n    command: x\n    prompt: hello\n',
      ['mcp_servers[0]: unknown key "prompt"; it is a key of the top level: indent it less'],
    ],
    [
      'within a nested list',
      'agent:\n  type: loop\n  agents:\n    - name: a\n      a2a:\n        - name: b\n          url: http://h/\n          output_key: c\n',
      ['agent.agents[0].a2a[0]: unknown key "output_key"; it is a key of agent.agents[0]: indent it less'],
    ],
    [
      'with a dash of its own',
      'mcp_servers:\n  - name: a\n  - command: x\n',
      [
        'mcp_servers[1]: name is required',
        'mcp_servers[0] "a": set either url or command; the command after it has a dash of its own: remove that dash',
      ],
    ],
    [
      'that every object has',
      'heartbeat_ttl: 5s\nconstructor: x\nagent:\n  toString: x\n',
      [
        expect.stringMatching(/^agent: unknown key "toString"; known: name/),
        expect.stringMatching(/^unknown key "constructor"; known: name/),
      ] as string[],
    ],
    [
      'of another program',
      'llm:\n  provider: openai\n  api_key: sk-0\n',
      [
        'llm: unknown key "provider"; the provider is a part of the name of the model, such as openai:gpt-5; known: model, models, timeout',
        'llm: unknown key "api_key"; API keys come from the environment, never from the file; known: model, models, timeout',
      ],
    ],
    [
      'a list for a mapping',
      'llm:\n  - model: x\n',
      ['llm: expected a mapping, found a list; write its keys without a dash'],
    ],
    [
      'variables as a list',
      'mcp_servers: [{ name: a, command: x, env: ["A=b"] }]',
      ['mcp_servers[0].env: expected a mapping, found a list; write NAME: value, without a dash'],
    ],
  ])('%s', (_, source, problems) => {
    expect(problemsOf(source)).toEqual(problems);
  });
});

describe('what is no YAML is told in the words of the file, once, at its line', () => {
  test.each<[string, string, string[]]>([
    [
      'a key of an entry that begins too early',
      'mcp_servers:\n  - name: a\n  command: x\n',
      [`3:3: "command" is indented not far enough: it begins at column 3, and "name" above it at column 5; ${same}`],
    ],
    [
      'a key of an entry that begins too late',
      'mcp_servers:\n  - name: a\n      command: x\n',
      [`3:7: "command" is indented too far: it begins at column 7, and "name" above it at column 5; ${same}`],
    ],
    [
      'one space too few, after a deeper mapping',
      'mcp_servers:\n  - name: a\n    env:\n      A: b\n   command: x\n',
      [`5:4: "command" is indented not far enough: it begins at column 4, and "env" above it at column 5; ${same}`],
    ],
    [
      'a key of the top level that is indented',
      'name: a\n  prompt: b\n',
      [`2:3: "prompt" is indented too far: it begins at column 3, and "name" above it at column 1; ${same}`],
    ],
    [
      'a first key that is indented',
      '  name: a\nprompt: b\n',
      [`2:1: "prompt" is indented not far enough: it begins at column 1, and "name" above it at column 3; ${same}`],
    ],
    [
      'an entry that begins elsewhere',
      'allowed_hosts:\n  - a\n   - b\n - c\n',
      ['4:2: the dash of this entry does not begin at the same column as that of the entry above'],
    ],
    [
      'a key of an entry that begins too early, before others that do not: no order that contradicts the first',
      'mcp_servers:\n  - name: a\n   command: x\n    args: [y]\n  - name: b\n',
      [`3:4: "command" is indented not far enough: it begins at column 4, and "name" above it at column 5; ${same}`],
    ],
    [
      'several keys that begin too late',
      'agent:\n  type: loop\n   name: a\n   agents:\n    - name: b\n',
      [`3:4: "name" is indented too far: it begins at column 4, and "type" above it at column 3; ${same}`],
    ],
    [
      'keys of two blocks',
      'llm:\n  model: x\n timeout: 3s\nname: a\n  prompt: x\n',
      [
        `3:2: "timeout" is indented not far enough: it begins at column 2, and "model" above it at column 3; ${same}`,
        `5:3: "prompt" is indented too far: it begins at column 3, and "name" above it at column 1; ${same}`,
      ],
    ],
    [
      'an entry that begins elsewhere than those after it',
      'agent:\n  type: loop\n  agents:\n - name: b\n   model: x\n    - name: c\n',
      ['4:2: the dash of this entry does not begin at the same column as that of the entry above'],
    ],
    ['a dash without a space', 'mcp_servers:\n  -name: a\n   command: x\n', ['2:3: a space is missing after the dash']],
    ['a colon without a space', 'name:a\nprompt: b\n', ['1:5: a space is missing after the colon']],
    ['a colon in a text', 'prompt: Say this: hello\n', ['1:9: a text that holds ": " must stand in quotes']],
    [
      'a text that begins like a mapping',
      'prompt: {draft} is it\n',
      ['1:9: a text that begins with { must stand in quotes'],
    ],
    [
      'a scope of npm',
      'mcp_servers: [{ name: a, command: npx, args: [@m/x] }]',
      ['1:47: a text that begins with @ must stand in quotes'],
    ],
    ['a star alone', 'allowed_hosts: [*]', ['1:17: a text that begins with * must stand in quotes']],
    ['a star', 'allowed_hosts: [*.example.com]', ['1:17: a text that begins with * must stand in quotes']],
    ['a quote', 'name: b\nprompt: "abc\n', ['2:9: a text in quotes does not end: the closing quote is missing']],
    [
      'a quote, lines later',
      "prompt: 'abc\nname: b\nport: 1\n",
      ['1:9: a text in quotes does not end: the closing quote is missing'],
    ],
    [
      'a quote, before one that is closed',
      'name: "a\nprompt: "x"\nhost: "y"\n',
      ['1:7: a text in quotes does not end: the closing quote is missing'],
    ],
    [
      'a quote, after a text of two lines',
      'name: "a\n  b"\nprompt: "x\nhost: "y"\n',
      ['3:9: a text in quotes does not end: the closing quote is missing'],
    ],
    [
      'a quote in an entry',
      'mcp_servers:\n  - name: "a\n    command: "x"\n    args: ["y"]\n',
      ['2:11: a text in quotes does not end: the closing quote is missing'],
    ],
    [
      'a bracket',
      'mcp_servers:\n  - name: a\n    args: [a, b\n    command: c\n',
      ['4:5: what begins with [ does not end: ] is missing before this line, or a line inside is not indented'],
    ],
    [
      'a block of text that ends early',
      'prompt: |\n  hello\n world\nname: x\n',
      ['3:1: this line is not indented like the text or the keys above it'],
    ],
  ])('%s', (_, source, problems) => {
    expect(problemsOf(source)).toEqual(problems);
  });

  test('and no value is repeated', () => {
    const secret = 'sk-live-0123456789';
    for (const source of [
      `token:${secret}\nname: b`,
      `name: a\n  prompt: ${secret}`,
      `prompt: x: ${secret}`,
      `a: *${secret}`,
    ])
      expect(problemsOf(source).join()).not.toContain(secret);
  });
});
