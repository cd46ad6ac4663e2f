import { describe, expect, test } from 'vitest';
import { printAgentFile, problemLine, readAgentFile } from '../src/index.ts';

const claude = '.claude/agents/reviewer.md';
const github = '.github/agents/reviewer.agent.md';
const read = (path: string, frontmatter: string) =>
  readAgentFile({ path, text: `---\n${frontmatter}\n---\n\nReview {{code}}.\n` });
const said = ({ problems, warnings }: ReturnType<typeof read>) => [...problems, ...warnings].map(problemLine);

test('an agent of Claude Code is told its task alone, may use all tools, and is done with an answer', () => {
  const reading = read(claude, 'name: reviewer\ndescription: Reviews code\nmodel: inherit\ncolor: blue');
  expect(said(reading)).toEqual([]);
  expect(reading.agent).toEqual({
    path: claude,
    format: 'claude',
    name: 'reviewer',
    title: 'reviewer',
    description: 'Reviews code',
    tags: [],
    examples: [],
    providers: [],
    allowedAgents: [],
    contextScope: 'NONE',
    completionRequired: false,
    approvals: 'default',
    prompt: 'Review {{code}}.',
  });
});

describe('keys of Claude Code', () => {
  test.each<[string, Record<string, unknown>, readonly string[]]>([
    ['model: claude-sonnet-4-5\nmaxTurns: 5', { model: 'claude-sonnet-4-5', turnsMax: 5 }, []],
    ['model: openai:gpt-5', { model: 'openai:gpt-5' }, []],
    ...['sonnet', 'gpt-5', 'GPT-5 (copilot)', 'claude-opus (preview)'].map(
      (model): [string, Record<string, unknown>, readonly string[]] => [
        `model: ${model}`,
        {},
        [
          `model: "${model}" does not say whose model it is, so the usual one of the platform is asked; write for example anthropic:claude-sonnet-4-5`,
        ],
      ],
    ),
    ['tools: Read, Grep', { tools: ['Read', 'Grep'] }, []],
    ['tools: [Read, Grep]', { tools: ['Read', 'Grep'] }, []],
    ['tools: []', { tools: [] }, []],
    ['tools: "*"', {}, []],
    ['tools: mcp__github__get_*, mcp__web, Read', { tools: ['github/get_*', 'web/*', 'Read'] }, []],
    ['tools: Read, Agent(worker, tester), Agent', { tools: ['Read'], allowedAgents: ['worker', 'tester', '*'] }, []],
    ['disallowedTools: Write, mcp__github__delete_repo', { tools: ['*', '!Write', '!github/delete_repo'] }, []],
    ['disallowedTools: Bash(rm *)', { tools: ['*', '!Bash'] }, []],
    ['tools: "!Read"', { tools: ['Read'] }, []],
    [
      'tools: Read, Bash(git add, git commit)',
      { tools: ['Read'] },
      [
        'tools: Bash(git add, git commit) is not offered: what a tool is called with is limited by the rules of the platform',
      ],
    ],
    [
      'permissionMode: plan',
      {},
      ['permissionMode: has no effect here: what people are asked is said by the rules of the platform'],
    ],
    ['hooks: {PreToolUse: []}', {}, ['hooks: has no effect here: no program of a repository is run']],
    [
      'mcpServers: [{x: {command: rm}}]',
      {},
      ['mcpServers: has no effect here: tool servers are a part of the configuration of the platform'],
    ],
    ['skills: [a]', {}, ['skills: has no effect here: write what the agent has to know in its prompt']],
    ['isolation: worktree', {}, ['isolation: has no effect here: tools run where their servers are']],
  ])('%s', (frontmatter, expected, warnings) => {
    const reading = read(claude, `name: reviewer\ndescription: Reviews code\n${frontmatter}`);
    expect(said(reading)).toEqual(warnings.map((message) => `${claude}:4:1: ${message}`));
    expect(reading.agent).toEqual({ ...read(claude, 'name: reviewer\ndescription: Reviews code').agent, ...expected });
  });

  test('a name that is not that of the file', () => {
    const reading = read(claude, 'name: code-reviewer\ndescription: Reviews code');
    expect(said(reading)).toEqual([`${claude}:2:1: name: the agent is called "reviewer" here, as its file`]);
    expect(reading.agent).toMatchObject({ name: 'reviewer', title: 'code-reviewer' });
  });

  test('a description that needs quotes in YAML', () => {
    const description = 'Use it after changes. Examples: user: "check this" # always\\nassistant: yes:';
    const reading = read(claude, `name: reviewer\ndescription: ${description}\ntools: Read\nmodel: claude-opus-4-5`);
    expect(said(reading)).toEqual([]);
    expect(reading.agent).toMatchObject({ description, tools: ['Read'], model: 'claude-opus-4-5' });
  });

  test('what cannot be read either way is told as YAML has it', () => {
    expect(said(read(claude, 'name: reviewer\ndescription: a: b\ntools: [Read'))[0]).toMatch(/^\S+:3:\d+: /);
  });
});

describe('keys of GitHub Copilot', () => {
  test.each<[string, Record<string, unknown>, readonly string[]]>([
    ['name: Code reviewer\ntarget: vscode', { title: 'Code reviewer' }, []],
    ['tools: [read, "github/*", "web/fetch"]', { tools: ['read', 'github/*', 'web/fetch'] }, []],
    ['tools: ["*"]', {}, []],
    ['tools: []', { tools: [] }, []],
    ['tools: read, agent', { tools: ['read'], allowedAgents: ['*'] }, []],
    ['tools: [agent]\nagents: [tester]', { tools: [], allowedAgents: ['tester'] }, []],
    ['model: openai:gpt-5', { model: 'openai:gpt-5' }, []],
    ['model: [claude-opus-4-5, gpt-5]', { model: 'claude-opus-4-5' }, []],
    [
      'mcp-servers: {x: {command: rm}}',
      {},
      ['mcp-servers: has no effect here: tool servers are a part of the configuration of the platform'],
    ],
    [
      'disable-model-invocation: true',
      {},
      ['disable-model-invocation: has no effect here: who may call it is said by allowedAgents of the others'],
    ],
    ['user-invocable: false', {}, ['user-invocable: has no effect here: who may start it is said by the platform']],
    ['handoffs: []', {}, ['handoffs: has no effect here: name the agents that it may call in agents']],
  ])('%s', (frontmatter, expected, warnings) => {
    const reading = read(github, `description: Reviews code\n${frontmatter}`);
    expect(said(reading)).toEqual(warnings.map((message) => `${github}:3:1: ${message}`));
    expect(reading.agent).toEqual({ ...read(github, 'description: Reviews code').agent, ...expected });
  });

  test('a description is needed', () => {
    expect(said(read(github, 'tools: {a: b}'))).toEqual([
      `${github}:1:1: description is required`,
      `${github}:2:1: tools: expected a list, found a mapping; begin each entry with "- "`,
    ]);
  });
});

test('a file that says of no agent is none', () => {
  for (const [path, text] of [
    [claude, 'Notes'],
    ['README.md', '# Read me'],
    ['docs/page.md', '---\ntitle: Page\nlayout: x\n---\nText'],
    ['docs/page.md', '---\nnot closed'],
    ['docs/large.md', 'a'.repeat(300_000)],
    ['docs/page.md', '-----\nname: n\ndescription: d\n---\n'],
    ['docs/large.md', `---\ntitle: x\n---\n${'a'.repeat(300_000)}`],
    ['two words.md', '# Read me'],
    ['two words.md', '---\ntitle: x\n---\ny'],
    ['.github/workflows/x.md', '---\nname: x\ndescription: y\n---\nz'],
  ] as const)
    expect(readAgentFile({ path, text })).toEqual({ problems: [], warnings: [] });
});

test('a file that may be something else is refused if it says that it is an agent', () => {
  const text = '---\nname: n\ndescription: d\n---\nHelp.';
  expect(readAgentFile({ path: 'two words.md', text }).problems).toHaveLength(1);
  expect(readAgentFile({ path: 'a/../b.md', text }).problems).toHaveLength(1);
  expect(readAgentFile({ path: 'a.md', text: '---js\nx\n---\n' }).problems).toHaveLength(1);
  expect(readAgentFile({ path: 'a.md', text: `${text}${'a'.repeat(300_000)}` }).problems).toHaveLength(1);
});

test('printed in our format it is the same agent', () => {
  const { agent } = read(claude, 'name: reviewer\ndescription: Reviews code\ntools: Read, mcp__web\nmaxTurns: 5');
  const again = readAgentFile({ path: 'reviewer/prompt.md', text: printAgentFile(agent!) });
  expect(again.problems).toEqual([]);
  expect(again.agent).toEqual({ ...agent, path: 'reviewer/prompt.md', format: 'stopgo' });
});
